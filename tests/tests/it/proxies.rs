//! Behind reverse proxies: with the samples of `deploy/` everything works, and failures of a default nginx are
//! distinguishable from the server's own refusals.

use std::net::Ipv4Addr;
use std::process::Command;
use std::time::Duration;

use futures_util::StreamExt;
use http::Method;
use rstest::rstest;
use serde_json::json;
use tests::{ADMIN_PASSWORD, Answer, Client, Proxy, Random, Server, Setup, digest, encoded};
use tokio_tungstenite::tungstenite::Message;

const MEBIBYTE: usize = 1 << 20;
/// Where people are. Proxy and server are at 127.0.0.1.
const PERSON: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const BROADCAST: &str = "/api/websocket/broadcast";
const PATIENCE: Duration = Duration::from_secs(60);

async fn started() -> Server {
    Server::start(Setup::new().with("YUNLAB_TRUSTED_PROXIES", "127.0.0.1")).await
}

#[derive(Clone, Copy)]
enum Kind {
    Nginx,
    Caddy,
}

impl Kind {
    async fn before(self, server: &Server) -> Proxy {
        match self {
            Self::Nginx => Proxy::nginx(server).await,
            Self::Caddy => Proxy::caddy(server).await,
        }
    }
}

/// A7.
#[rstest]
#[case::nginx(Kind::Nginx)]
#[case::caddy(Kind::Caddy)]
#[tokio::test]
async fn the_samples_pass_everything_on(#[case] kind: Kind) {
    let server = started().await;
    let proxy = kind.before(&server).await;
    let admin = signs_in_from_there(&proxy).await;
    tls_is_known(&admin).await;
    let content = Random::new(7).bytes(20 * MEBIBYTE);
    files_go_both_ways(&admin, &content).await;
    over_http_2(&proxy, &admin, &server, &content);
    moves_over_webdav(&proxy, &admin, 201).await;
    assert_eq!(admin.download("/share/%E5%9B%BE.txt").await.text(), "moved");
    broadcasts_are_heard(&proxy, &admin).await;
}

/// The login log has the client's address, despite a forged header.
async fn signs_in_from_there(proxy: &Proxy) -> Client {
    let nobody = proxy.anonymous(PERSON);
    let wrong = nobody.request(Method::POST, "/api/auth").header("x-forwarded-for", "203.0.113.7");
    let body = json!({ "username": "admin", "password": "wrong2026" });
    // Caddy believes no such header; nginx appends to it, and the server takes the last that is no proxy's.
    nobody.send(wrong.json(&body)).await.is(422);
    let admin = nobody.sign_in("admin", ADMIN_PASSWORD).await;
    let log = admin.get("/api/logs/login").await.expect(200);
    for row in [&log["items"][0], &log["items"][1]] {
        assert_eq!(row["ip"], PERSON.to_string(), "{log:#}");
    }
    admin
}

/// The server knows that browsers use TLS, though the proxy speaks plain HTTP to it.
async fn tls_is_known(admin: &Client) {
    let security = json!({ "linkHosts": [], "hstsDays": 1, "allowedRegistries": [], "allowLinkLocal": false });
    admin.put("/api/settings", json!({ "security": security })).await.is(200);
    assert_eq!(admin.get("/login").await.header("strict-transport-security"), "max-age=86400");
}

async fn files_go_both_ways(admin: &Client, content: &[u8]) {
    admin.upload("/share/whole.bin", content.to_vec()).await.is(200);
    let address = created(admin, "/share/pieces.bin", content.len()).await;
    let mut sent = 0;
    for piece in content.chunks(8 * MEBIBYTE) {
        append(admin, &address, sent, piece).await.is(204);
        sent += piece.len();
    }
    for name in ["whole", "pieces"] {
        let path = format!("/share/{name}.bin");
        assert_eq!(digest(&admin.download(&path).await.body), digest(content), "{name}");
        let range =
            admin.request(Method::GET, &format!("/disk/api/raw{path}")).header("range", "bytes=9000000-9000999");
        let part = admin.send(range).await;
        part.is(206);
        assert_eq!(part.header("content-range"), format!("bytes 9000000-9000999/{}", content.len()));
        assert_eq!(part.body, content[9_000_000..9_001_000]);
    }
}

/// As browsers speak with it.
fn over_http_2(proxy: &Proxy, admin: &Client, server: &Server, content: &[u8]) {
    let file = server.setup().dir().join("content");
    std::fs::write(&file, content).expect("a file to upload");
    let mut command = Command::new("curl");
    command.args(["-sS", "--noproxy", "*", "--http2", "-o", "/dev/null", "-w", "%{http_version} %{http_code}"]);
    command.arg("--cacert").arg(proxy.certificate()).arg("--data-binary").arg(format!("@{}", file.display()));
    let (origin, address) = (proxy.origin(), proxy.address());
    let name = origin.strip_prefix("https://").expect("TLS");
    command.args(["--resolve", &format!("{name}:{}", address.ip())]);
    command.args(["-H", &format!("authorization: Bearer {}", admin.token())]);
    let output = command.arg(format!("{origin}/disk/api/resources/share/http2.bin")).output().expect("curl starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 200", "{output:?}");
    let there = std::fs::read(server.setup().data_dir().join("disk/share/http2.bin")).expect("the file");
    assert_eq!(digest(&there), digest(content));
}

/// A move names its destination by the client's URL.
async fn moves_over_webdav(proxy: &Proxy, admin: &Client, status: u16) {
    let made = admin.post("/api/profile/app-passwords", json!({ "name": "test" })).await.expect(201);
    let password = made["password"].as_str().expect("a password");
    let nobody = proxy.anonymous(PERSON);
    let call = |method: &str, path: &str| {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        nobody.request(method, &format!("/disk/dav/share/{path}")).basic_auth("admin", Some(password))
    };
    nobody.send(call("PUT", "a%20b.txt").body("moved")).await.is(201);
    let destination = format!("{}/disk/dav/share/%E5%9B%BE.txt", proxy.origin());
    nobody.send(call("MOVE", "a%20b.txt").header("destination", destination)).await.is(status);
}

async fn broadcasts_are_heard(proxy: &Proxy, admin: &Client) {
    let ticket = encoded(&admin.ticket("GET", BROADCAST).await);
    let mut socket = proxy.socket(&format!("{BROADCAST}?auth={ticket}")).await.expect("a websocket");
    admin.post("/api/announcements", json!({ "title": "维护" })).await.is(201);
    let heard = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) if text.as_str() == "announcements changed" => return,
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, heard).await.expect("it is heard");
}

/// A7. The criteria of the pages (`web/src/shared/api/proxies.ts`, `sockets.ts`).
#[tokio::test]
async fn what_a_default_nginx_refuses_is_told_from_what_we_refuse() {
    let server = started().await;
    let proxy = Proxy::default_nginx(&server).await;
    let admin = proxy.anonymous(PERSON).sign_in("admin", ADMIN_PASSWORD).await;
    let content = Random::new(7).bytes(20 * MEBIBYTE);

    is_the_proxys(&admin.upload("/share/a.bin", content.clone()).await);
    let address = created(&admin, "/share/a.bin", content.len()).await;
    is_the_proxys(&append(&admin, &address, 0, &content).await);
    is_the_proxys(&append(&admin, &address, 0, &content[..8 * MEBIBYTE]).await);
    // Nothing of it has arrived, and smaller pieces go on from there.
    append(&admin, &address, 0, &content[..MEBIBYTE]).await.is(204);
    let mut sent = MEBIBYTE;
    for piece in content[MEBIBYTE..].chunks(MEBIBYTE / 4) {
        append(&admin, &address, sent, piece).await.is(204);
        sent += piece.len();
    }
    assert_eq!(digest(&admin.download("/share/a.bin").await.body), digest(&content));

    let address = created(&admin, "/share/b.bin", 10).await;
    let ours = append(&admin, &address, 0, &content[..11]).await;
    ours.is(413);
    assert!(ours.text().starts_with("413 "), "{ours:?}");
    assert!(!ours.header("x-request-id").is_empty(), "{ours:?}");

    let ticket = encoded(&admin.ticket("GET", BROADCAST).await);
    let opened = proxy.socket(&format!("{BROADCAST}?auth={ticket}")).await;
    // Without its upgrade, the request must not carry a ticket in its URL.
    assert_eq!(opened.err(), Some(401));
    let _ = admin.get(BROADCAST).await.refused(400, "bad_request");
    moves_over_webdav(&proxy, &admin, 502).await;
}

#[track_caller]
fn is_the_proxys(answer: &Answer) {
    answer.is(413);
    assert!(!answer.text().starts_with("413 "), "{answer:?}");
    assert!(!answer.headers.contains_key("x-request-id"), "{answer:?}");
}

/// Begins an upload in pieces; gives its path.
async fn created(who: &Client, path: &str, length: usize) -> String {
    let request = who.request(Method::POST, &format!("/disk/api/tus{path}")).header("tus-resumable", "1.0.0");
    let answer = who.send(request.header("upload-length", length)).await;
    answer.is(201);
    let address = answer.header("location");
    assert!(address.starts_with('/'), "it names no host, which would have to be the proxy's: {address}");
    address
}

async fn append(who: &Client, address: &str, offset: usize, piece: &[u8]) -> Answer {
    let request = who.request(Method::PATCH, address).header("tus-resumable", "1.0.0");
    let request = request.header("content-type", "application/offset+octet-stream").header("upload-offset", offset);
    who.send(request.body(piece.to_vec())).await
}
