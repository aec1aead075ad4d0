//! The log can be followed by machines and never holds a secret.

use std::process::Stdio;

use http::Method;
use rstest::rstest;
use serde_json::{Value, json};
use tests::{Server, Setup, encoded};
use tokio_tungstenite::connect_async;

const PASSWORD: &str = "Geheim2026bea";
const NEW_PASSWORD: &str = "Anders2026bea";
const WRONG_PASSWORD: &str = "Falsch2026bea";
const LDAP_PASSWORD: &str = "Verzeichnis2026";

/// Its reader may have ended, and the disk that it is written to may be full.
#[tokio::test]
async fn a_log_that_can_not_be_written_ends_nothing() {
    let (reader, nobody_reads) = std::io::pipe().unwrap();
    drop(reader);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    for log in [Stdio::from(nobody_reads), Stdio::from(full)] {
        let mut server = Server::start_logging_to(Setup::new(), log).await;
        let admin = server.admin().await;
        admin.get("/api/users").await.is(200);
        server.anonymous().get("/api/users").await.is(401);
        server.stop().await;
    }
}

/// Does everything that has a secret in it, and gives the secrets.
async fn use_secrets(server: &Server) -> Vec<String> {
    let admin = server.admin().await;
    let made = admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD, "name": "安" })).await;
    let id = made.expect(201)["id"].as_i64().expect("an id");
    let ann = server.sign_in("ann", PASSWORD).await;
    let nobody = server.anonymous();
    let wrong = json!({ "username": "ann", "password": WRONG_PASSWORD });
    nobody.post("/api/auth", wrong).await.is(422);
    let broken = nobody.request(Method::POST, "/api/auth").header("content-type", "application/json");
    nobody.send(broken.body(format!("{{\"username\":\"ann\",\"password\":\"{PASSWORD}\""))).await.is(400);
    let extra = json!({ "username": "ann", "password": PASSWORD, PASSWORD: PASSWORD });
    nobody.post("/api/auth", extra).await.is(400);

    let token = ann.token();
    ann.upload("/home/a.txt", "hello").await.is(200);
    let raw = "/disk/api/raw/home/a.txt";
    let ticket = ann.ticket("GET", raw).await;
    nobody.get(&format!("{raw}?auth={token}")).await.is(200);
    nobody.get(&format!("{raw}?auth={ticket}")).await.is(200);
    nobody.get(&format!("/disk/api/raw/home/other?auth={ticket}")).await.is(401);
    nobody.get(&format!("/login?token={token}")).await;
    let socket_ticket = ann.ticket("GET", "/api/websocket/broadcast").await;
    for secret in [&socket_ticket, token] {
        let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(secret));
        connect_async(address).await.expect("a websocket");
    }
    let (access, _) = ann.access_token(&["all"]).await;
    ann.with_token(&access).get(raw).await.is(200);
    nobody.with_token(format!("{access}x")).get(raw).await.is(401);
    nobody.get(&format!("{raw}?auth={access}")).await.is(401);
    let renewed = ann.act("/api/renew").await;
    renewed.is(200);
    let ann = ann.with_token(renewed.text());
    // The old token stays valid for ten more minutes.
    nobody.get(&format!("{raw}?auth={token}")).await.is(200);
    let body = json!({ "oldPassword": WRONG_PASSWORD, "newPassword": NEW_PASSWORD });
    ann.put(&format!("/api/users/{id}/passwd"), body).await.is(422);
    let body = json!({ "oldPassword": PASSWORD, "newPassword": NEW_PASSWORD });
    ann.put(&format!("/api/users/{id}/passwd"), body).await.is(204);
    let mut settings = admin.get("/api/settings").await.expect(200);
    settings["authentication"]["ldap"]["bindPassword"] = json!(LDAP_PASSWORD);
    admin.put("/api/settings", settings).await;

    let words = [PASSWORD, NEW_PASSWORD, WRONG_PASSWORD, LDAP_PASSWORD, tests::ADMIN_PASSWORD];
    let tokens = [admin.token(), token, ann.token(), &ticket, &socket_ticket, &access];
    // A token that is cut short may still show its signature, and a session's name is half of it.
    let signatures = tokens.iter().filter_map(|token| token.rsplit('.').next());
    words.into_iter().chain(tokens).chain(signatures).map(str::to_owned).collect()
}

#[rstest]
#[case::human("human", "info")]
#[case::json("json", "info")]
#[case::everything("json", "trace")]
#[tokio::test]
async fn no_secret_is_in_any_line(#[case] format: &str, #[case] level: &str) {
    let setup = Setup::new().with("YUNLAB_LOG_FORMAT", format).with("YUNLAB_LOG_LEVEL", level);
    let mut server = Server::start(setup).await;
    let secrets = use_secrets(&server).await;
    server.stop().await;
    let log = server.log();
    assert!(log.lines().count() > 20, "the log is there: {log}");
    for line in log.lines().chain(server.printed().lines()) {
        let found = secrets.iter().find(|secret| line.contains(secret.as_str()));
        assert!(found.is_none(), "{found:?} in {line}");
    }
}

#[tokio::test]
async fn nothing_secret_is_in_the_operate_and_login_logs() {
    let server = Server::start(Setup::new()).await;
    let secrets = use_secrets(&server).await;
    let admin = server.admin().await;
    for path in ["/api/logs/operate?size=200", "/api/logs/login?size=200"] {
        let text = admin.get(path).await.expect(200).to_string();
        let found = secrets.iter().find(|secret| text.contains(secret.as_str()));
        assert!(found.is_none(), "{found:?} in {path}");
    }
}

#[tokio::test]
async fn lines_for_machines_are_json_and_name_the_request() {
    let mut server = Server::start(Setup::new().with("YUNLAB_LOG_FORMAT", "json")).await;
    let answer = server.anonymous().get("/api/users?page=1&token=abc").await;
    answer.is(401);
    let id = answer.json()["request_id"].as_str().expect("a request id").to_owned();
    assert_eq!(answer.header("x-request-id"), id);
    let disk = server.anonymous().get("/disk/api/resources/").await.header("x-request-id");
    let page = server.anonymous().get("/login").await.header("x-request-id");
    // L6: readers of the log must not gain access to shares.
    let share = server.anonymous().get("/disk/api/public/share/SeCrEtHaSh/folder").await.header("x-request-id");
    let dl = server.anonymous().get("/disk/api/public/dl/SeCrEtHaSh").await.header("x-request-id");
    let shown = server.anonymous().get("/share/SeCrEtHaSh?diskhost=%2Fdisk").await.header("x-request-id");
    server.stop().await;
    assert!(!server.log().contains("SeCrEtHaSh"));
    let lines: Vec<Value> = server.log().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (id, path, status) in [
        (id, "/api/users", 401),
        (disk, "/disk/api/resources/", 401),
        (page, "/login", 200),
        (share, "/disk/api/public/share/***/folder", 404),
        (dl, "/disk/api/public/dl/***", 404),
        (shown, "/share/***", 200),
    ] {
        let of_it: Vec<&Value> = lines.iter().filter(|line| line.to_string().contains(&id)).collect();
        assert_eq!(of_it.len(), 1, "one line for {id}: {of_it:?}");
        let line = of_it[0];
        assert_eq!(line["span"]["request_id"], id);
        assert_eq!((&line["http.path"], &line["http.status"]), (&json!(path), &json!(status)), "{line}");
        for field in ["timestamp", "level", "message", "http.method", "client.address", "duration_ms"] {
            assert!(!line[field].is_null(), "{field} in {line}");
        }
    }
}

#[tokio::test]
async fn a_name_with_line_breaks_can_not_fake_a_line() {
    let mut server = Server::start(Setup::new()).await;
    let fake = "x\n2026-11-20T00:00:00Z  INFO faked";
    let nobody = server.anonymous();
    nobody.post("/api/auth", json!({ "username": fake, "password": "x" })).await.is(422);
    nobody.get(&format!("/{}", encoded(fake))).await;
    server.stop().await;
    assert!(!server.log().lines().any(|line| line.starts_with("2026-11-20T00:00:00Z  INFO faked")));
}

/// A23: the log of a start does not repeat the database's notices about tables that exist already.
#[tokio::test]
async fn a_start_on_postgres_repeats_no_notices_of_the_database() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let mut server = Server::start(setup).await;
    server.stop().await;
    assert!(server.log().contains("brought the database up to date"), "{}", server.log());
    assert!(!server.log().contains("already exists"), "{}", server.log());
    server.start_again().await;
    server.stop().await;
    assert!(!server.log().contains("already exists"), "{}", server.log());
}
