//! A separate storage host: two processes, connected by an address and a secret.

use std::time::Duration;

use futures_util::SinkExt;
use http::{HeaderMap, Method, StatusCode};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::{Client, Server, Setup, skipped, until};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{ClientRequestBuilder, Message};

use crate::commands::finish;
use crate::locked_passwords::locked_and_opened;

pub(crate) const SECRET: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const PASSWORD: &str = "lab2026a";
/// Within this time a change at the portal is in force on a storage host (docs/ARCHITECTURE.md).
const NOTICED: Duration = Duration::from_secs(10);

pub(crate) async fn portal() -> Server {
    Server::start(Setup::new().with("YUNLAB_PORTAL_SECRET", SECRET)).await
}

pub(crate) async fn host_of(portal: &Server) -> Server {
    Server::start(Setup::storage_host(portal.origin(), SECRET)).await
}

/// A new person, signed in at the portal.
pub(crate) async fn person(portal: &Server, name: &str) -> (i64, Client) {
    let made = portal.admin().await.post("/api/users", json!({ "username": name, "password": PASSWORD })).await;
    (made.expect(201)["id"].as_i64().expect("an id"), portal.sign_in(name, PASSWORD).await)
}

/// A user of the portal at the storage host.
pub(crate) fn at(host: &Server, person: &Client) -> Client {
    host.anonymous().with_token(person.token())
}

async fn status(client: &Client) -> StatusCode {
    client.get("/disk/api/resources/home/").await.status
}

#[tokio::test]
async fn files_go_through_a_host_of_their_own() {
    let portal = portal().await;
    everyday(&portal, &host_of(&portal).await).await;
}

#[tokio::test]
async fn files_go_through_a_host_of_their_own_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let portal = Server::start(setup.with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let Some(setup) = Setup::storage_host(portal.origin(), SECRET).with_postgres().await else { return };
    everyday(&portal, &Server::start(setup).await).await;
}

async fn everyday(portal: &Server, host: &Server) {
    let admin = portal.admin().await;
    let (id, ann) = person(portal, "ann").await;
    let group = admin.post("/api/groups", json!({ "name": "vision" })).await.expect(201);
    let members = format!("/api/groups/{}/members", group["id"]);
    admin.post(&members, json!({ "users": [id] })).await.is(200);

    let anns = at(host, &ann);
    anns.upload("/home/a.bin", vec![7; 300_000]).await.is(200);
    assert_eq!(anns.download("/home/a.bin").await.body, vec![7; 300_000]);
    assert!(!portal.setup().data_dir().join("disk/home/ann/a.bin").exists(), "it lies on the host alone");
    assert!(host.setup().data_dir().join("disk/home/ann/a.bin").is_file());
    let folder = anns.get("/disk/api/resources/groups/").await.expect(200);
    assert_eq!(folder["items"][0]["name"], group["folder"].as_str().unwrap_or("vision"));
    at(host, &admin).download("/home/ann/a.bin").await.is(200);

    // A ticket is good for its path and verb here as there.
    let nobody = host.anonymous();
    let ticket = ann.ticket("GET", "/disk/api/raw/home/a.bin").await;
    nobody.get(&format!("/disk/api/raw/home/a.bin?auth={ticket}")).await.is(200);
    nobody.get(&format!("/disk/api/raw/home/b.bin?auth={ticket}")).await.is(401);
    nobody.get(&format!("/disk/api/resources/home/a.bin?auth={ticket}")).await.is(401);
    nobody.send(nobody.request(Method::DELETE, &format!("/disk/api/resources/home/a.bin?auth={ticket}"))).await.is(401);
    nobody.get("/disk/api/raw/home/a.bin").await.is(401);
    nobody.with_token("a.b.c").get("/disk/api/raw/home/a.bin").await.is(401);
    let (head, signature) = ann.token().rsplit_once('.').expect("three parts");
    let forged = format!("{head}.{}", signature.chars().rev().collect::<String>());
    nobody.with_token(forged).get("/disk/api/raw/home/a.bin").await.is(401);

    locked_and_opened(portal, host).await;

    // A quota that the portal sets holds here.
    let quota = json!({ "what": "user", "which": ["diskQuota"], "data": { "diskQuota": 400_000 } });
    admin.put(&format!("/api/users/{id}"), quota).await.is(200);
    until("the quota to count", NOTICED, async || {
        (anns.upload("/home/b.bin", vec![7; 300_000]).await.status == 507).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_ended_session_is_refused_within_ten_seconds() {
    let portal = portal().await;
    let host = host_of(&portal).await;
    let admin = portal.admin().await;
    let mut people = Vec::new();
    for name in ["logout", "password", "disabled", "deleted", "stays"] {
        let (id, client) = person(&portal, name).await;
        assert_eq!(status(&at(&host, &client)).await, 200, "{name}");
        people.push((id, client));
    }
    people[0].1.act("/api/auth/logout").await.is(204);
    let change = json!({ "newPassword": "other2026" });
    admin.put(&format!("/api/users/{}/passwd", people[1].0), change).await.is(204);
    admin.post("/api/users/active", json!({ "ids": [people[2].0], "active": false })).await.is(200);
    admin.delete(&format!("/api/users/{}", people[3].0)).await.is(204);
    until("all four to be refused", NOTICED, async || {
        for (_, client) in &people[..4] {
            if status(&at(&host, client)).await != 401 {
                return None;
            }
        }
        Some(())
    })
    .await;
    assert_eq!(status(&at(&host, &people[4].1)).await, 200);
}

#[tokio::test]
async fn without_its_portal_it_refuses_with_503() {
    let mut portal = portal().await;
    let mut host = host_of(&portal).await;
    let (_, ann) = person(&portal, "ann").await;
    let anns = at(&host, &ann);
    anns.upload("/home/a.txt", "hello").await.is(200);
    portal.kill_hard();
    until("the cache to run out", NOTICED, async || (status(&anns).await == 503).then_some(())).await;
    anns.upload("/home/a.txt", "changed").await.is(503);
    assert_eq!(std::fs::read(host.setup().data_dir().join("disk/home/ann/a.txt")).unwrap(), b"hello");
    assert_eq!(host.anonymous().get("/disk/health").await.status, 200, "the host itself is well");
    assert!(!host.log().contains(SECRET) && !portal.log().contains(SECRET));
    host.stop().await;
}

fn send_signal(server: &Server, signal: Signal) {
    let id = server.process().try_into().ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(id, signal).expect("the process is there");
}

/// L10: actions while the portal is unreachable are in its log afterwards, and a restart of the host loses nothing.
#[tokio::test]
async fn its_audit_trail_outlasts_the_portals_absence() {
    let portal = portal().await;
    let mut host = host_of(&portal).await;
    let (_, ann) = person(&portal, "ann").await;
    let anns = at(&host, &ann);
    for name in ["a", "b"] {
        anns.upload(&format!("/home/{name}"), "hello").await.is(200);
    }
    let admin = portal.admin().await;
    let logged = async || {
        let page = admin.get("/api/logs/operate?action=disk.delete").await.expect(200);
        let items = page["items"].as_array().expect("entries").clone();
        items.iter().map(|item| item["target"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    anns.delete("/disk/api/resources/home/a").await.is(200);
    until("the first entry", NOTICED, async || (logged().await == ["/home/ann/a"]).then_some(())).await;
    // So that the host caches her session for some seconds.
    anns.get("/disk/api/resources/home").await.is(200);
    send_signal(&portal, Signal::STOP);
    anns.delete("/disk/api/resources/home/b").await.is(200);
    host.kill_hard();
    send_signal(&portal, Signal::CONT);
    host.start_again().await;
    let both = async || (logged().await == ["/home/ann/b", "/home/ann/a"]).then_some(());
    until("what was done meanwhile", NOTICED, both).await;
}

#[rstest]
#[case::another(Some("another-secret-of-thirty-two-bytes!"))]
#[case::none(None)]
#[tokio::test]
async fn a_host_that_the_portal_does_not_know(#[case] secret: Option<&str>) {
    let setup = Setup::new();
    let portal = Server::start(match secret {
        Some(secret) => setup.with("YUNLAB_PORTAL_SECRET", secret),
        None => setup,
    })
    .await;
    let host = host_of(&portal).await;
    assert_eq!(status(&at(&host, &portal.admin().await)).await, 503);
    assert!(host.log().contains("portal_secret"), "{}", host.log());
    assert!(!host.log().contains(SECRET));
}

#[tokio::test]
async fn people_and_app_passwords_are_asked_for() {
    let portal = portal().await;
    let host = host_of(&portal).await;
    let (id, ann) = person(&portal, "ann").await;
    assert_eq!(status(&at(&host, &ann)).await, 200);
    let users = at(&host, &portal.admin().await).get("/disk/api/users").await.expect(200);
    let names: Vec<_> = users.as_array().expect("a list").iter().map(|user| user["username"].clone()).collect();
    assert_eq!(names, ["admin", "ann"]);
    assert!(!users.to_string().contains("digest") && !users.to_string().contains("argon"), "{users}");
    at(&host, &ann).get("/disk/api/users").await.is(403);

    let made = ann.post("/api/profile/app-passwords", json!({ "name": "sync" })).await.expect(201);
    let dav = async |name: &str, password: &str| {
        let nobody = host.anonymous();
        let request = nobody.request(Method::PUT, "/disk/dav/home/a").basic_auth(name, Some(password)).body("a");
        nobody.send(request).await.status.as_u16()
    };
    let password = made["password"].as_str().expect("a password");
    assert_eq!(dav("ann", password).await, 201);
    assert_eq!((dav("admin", password).await, dav("ann", PASSWORD).await, dav("ann", "wrong").await), (401, 401, 401));
    let folder = host.setup().data_dir().join("disk/home/ann");
    assert_eq!(std::fs::read(folder.join("a")).expect("the file"), b"a");
    let disabled = json!({ "ids": [id], "active": false });
    portal.admin().await.post("/api/users/active", disabled).await.is(200);
    until("the app password to end", NOTICED, async || (dav("ann", password).await == 401).then_some(())).await;
}

/// The portal's answers to storage hosts are for no other client.
#[tokio::test]
async fn only_a_storage_host_may_ask() {
    let portal = portal().await;
    let admin = portal.admin().await;
    let ask = async |token: &str, question: Value| {
        let client = Client::builder().build().expect("a client");
        let request = client.post(format!("{}/api/storage-host", portal.origin())).json(&question);
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("text"))
    };
    let person = json!({ "ask": "person", "id": 1 });
    for token in ["", admin.token(), "wrong", &SECRET[1..], &format!("{SECRET}x")] {
        assert_eq!(ask(token, person.clone()).await, (401, String::new()));
    }
    let (code, text) = ask(SECRET, person).await;
    assert!(code == 200 && text.contains("\"admin\"") && !text.contains("password"), "{text}");
    assert_eq!(ask(SECRET, json!({ "ask": "person", "id": 4711 })).await, (200, "null".to_owned()));
    assert_eq!(ask(SECRET, json!({ "ask": "session", "id": "x" })).await.1, r#"{"state":"ended"}"#);
    for bad in [json!({ "ask": "passwords" }), json!({}), json!([]), json!({ "ask": "person", "id": "1" })] {
        assert_eq!(ask(SECRET, bad).await.0, 400);
    }
    let large = json!({ "ask": "session", "id": "x".repeat(5 * 1024 * 1024) });
    assert_eq!(ask(SECRET, large).await.0, 413);
}

#[tokio::test]
async fn the_portals_pages_may_use_it_and_those_of_the_configured_origins() {
    let portal = portal().await;
    let extra = "https://lab.example";
    let setup = Setup::storage_host(portal.origin(), SECRET).with("YUNLAB_DISK_ORIGINS", extra);
    let host = Server::start(setup).await;
    let nobody = host.anonymous();
    let preflight = async |origin: &str| -> HeaderMap {
        let request = nobody.request(Method::OPTIONS, "/disk/api/tus/home/a").header("origin", origin);
        nobody.send(request.header("access-control-request-method", "PATCH")).await.headers
    };
    for origin in [portal.origin(), extra] {
        let headers = preflight(origin).await;
        assert_eq!(headers["access-control-allow-origin"], origin);
        assert!(headers.contains_key("access-control-max-age"));
    }
    for origin in ["https://evil.example", "null", host.origin()] {
        assert!(!preflight(origin).await.contains_key("access-control-allow-origin"), "{origin}");
    }
}

/// The command panel of a page of the portal: another origin, and a ticket that the portal signed.
#[tokio::test]
async fn s366_the_portals_pages_run_commands_on_it() {
    let portal = portal().await;
    let host = host_of(&portal).await;
    let (id, ann) = person(&portal, "ann").await;
    at(&host, &ann).get("/disk/api/resources/home").await.is(200);
    let admin = at(&host, &portal.admin().await);
    if admin.get("/disk/api/settings").await.expect(200)["exec"] != true {
        skipped("bubblewrap can't make a sandbox here");
        return;
    }
    let data = json!({ "perm": { "execute": true }, "commands": ["pwd"] });
    let change = json!({ "what": "user", "which": ["perm", "commands"], "data": data });
    admin.put(&format!("/disk/api/users/{id}"), change).await.is(200);
    let ticket = ann.ticket("GET", "/disk/api/command/home/").await;
    let address = format!("ws://{}/disk/api/command/home/?auth={ticket}", host.address());
    let request = ClientRequestBuilder::new(address.parse().expect("an address"));
    let request = request.with_header("Origin", portal.origin());
    let (mut socket, _) = connect_async(request).await.expect("the panel opens");
    socket.send(Message::text("pwd")).await.expect("the command goes out");
    assert_eq!(finish(&mut socket).await, (vec!["/home".to_owned()], CloseCode::Normal, "0".to_owned()));
}

#[tokio::test]
async fn both_speak_tls() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
    let (pem, key) = (cert.pem(), signing_key.serialize_pem());
    let with_tls = |setup: Setup| {
        let setup = setup.file("cert.pem", &pem).file("key.pem", &key);
        setup.with("YUNLAB_TLS_CERT", "cert.pem").with("YUNLAB_TLS_KEY", "key.pem").with("SSL_CERT_FILE", "cert.pem")
    };
    let client = |server: &Server| {
        let trusted = reqwest::Certificate::from_pem(pem.as_bytes()).expect("a certificate");
        Client::over(server.origin(), Client::builder().tls_certs_only([trusted]))
    };
    let portal = Server::start(with_tls(Setup::new().with("YUNLAB_PORTAL_SECRET", SECRET))).await;
    let host = Server::start(with_tls(Setup::storage_host(portal.origin(), SECRET))).await;
    assert!(host.origin().starts_with("https://"));
    let admin = client(&portal).sign_in("admin", tests::ADMIN_PASSWORD).await;
    assert_eq!(status(&client(&host).with_token(admin.token())).await, 200, "{}", host.last_of_log());

    // A portal without proof of its identity gets no secret.
    let stranger = Setup::storage_host(portal.origin(), SECRET);
    let host = Server::start(stranger).await;
    assert_eq!(status(&at(&host, &admin)).await, 503);
}

#[rstest]
#[case::no_portal(&[("YUNLAB_PORTAL_SECRET", SECRET)], "--portal")]
#[case::no_secret(&[("YUNLAB_PORTAL", "https://lab.example")], "portal_secret")]
#[case::short(&[("YUNLAB_PORTAL", "https://lab.example"), ("YUNLAB_PORTAL_SECRET", "short")], "portal_secret")]
#[case::scheme(&[("YUNLAB_PORTAL", "ftp://lab.example"), ("YUNLAB_PORTAL_SECRET", SECRET)], "portal")]
#[case::origin(&[("YUNLAB_DISK_ORIGINS", "https://lab.example/path")], "disk_origins")]
fn it_says_what_is_missing(#[case] env: &[(&str, &str)], #[case] named: &str) {
    let setup = env.iter().fold(Setup::bare(), |setup, (key, value)| setup.with(key, value));
    let output = setup.run(&["disk", "--listen", "127.0.0.1:0", "--data-dir", "data"]);
    let said = output.expect_refused();
    assert!(said.contains(named) && !said.contains(SECRET), "{said}");
}
