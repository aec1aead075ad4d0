//! Malformed requests: each is refused or harmless, and the server goes on.

use std::time::Duration;

use rstest::rstest;
use tests::{RawAnswer, Server, Setup, exchange};
use tokio::net::TcpStream;

const SOON: Duration = Duration::from_secs(10);

async fn send(server: &Server, bytes: impl AsRef<[u8]>) -> RawAnswer {
    let answer = exchange(server.address(), bytes.as_ref(), SOON).await;
    let status = answer.status.unwrap_or_default();
    assert!(status < 500, "{}: {answer:?}", String::from_utf8_lossy(&bytes.as_ref()[..bytes.as_ref().len().min(120)]));
    answer
}

/// Refused: by a 4xx, or, where the bytes are no HTTP at all, by the end of the connection.
async fn refused(server: &Server, bytes: impl AsRef<[u8]>) {
    let answer = send(server, &bytes).await;
    let status = answer.status.unwrap_or(400);
    let start = String::from_utf8_lossy(&bytes.as_ref()[..bytes.as_ref().len().min(120)]).into_owned();
    assert!((400..500).contains(&status) && answer.closed, "{start:?}: {answer:?}");
}

async fn goes_on(server: &Server) {
    server.anonymous().get("/api/settings/public").await.is(200);
    assert!(!server.log().contains("panicked"), "{}", server.last_of_log());
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let server = Server::start(Setup::new()).await;
    for garbage in [
        &b"\r\n\r\n\r\n\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello \r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
        b"GET / HTTP/1.1\r\n: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA\0B: y\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\xff\xfe\xfd / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST /api/auth HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: cow\r\n\r\n",
        b"POST /api/auth HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        refused(&server, garbage).await;
    }
    goes_on(&server).await;
}

#[tokio::test]
async fn a_head_without_measure_is_refused() {
    let server = Server::start(Setup::new()).await;
    let one = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Big: {}\r\n\r\n", "a".repeat(2_000_000));
    let many: String = (0..5000).map(|n| format!("X-{n}: y\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n");
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(2_000_000));
    for bytes in [one, many, long] {
        refused(&server, bytes).await;
    }
    goes_on(&server).await;
}

/// A parser that sees a body's end elsewhere than we do could be tricked into a second request.
#[rstest]
#[case::both_lengths(
    "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
)]
#[case::both_the_other_way_round(
    "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
)]
#[case::bare_line_feed(
    "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\nGET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
)]
#[case::bare_line_feed_at_the_end(
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\n\nGET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
)]
#[case::no_number("Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")]
#[case::huge_number("Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n")]
#[case::long_extension("Transfer-Encoding: chunked\r\n\r\n2;LONG\r\n{}\r\n0\r\n\r\n")]
#[case::chunked_and_more("Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n")]
#[tokio::test]
async fn an_unclear_end_of_a_body_is_refused(#[case] rest: &str) {
    let server = Server::start(Setup::new()).await;
    let rest = rest.replace("LONG", &"x".repeat(100_000));
    let head = "POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let answer = send(&server, format!("{head}{rest}")).await;
    assert!((400..500).contains(&answer.status.unwrap_or_default()), "{answer:?}");
    assert_eq!(answer.text.matches("HTTP/1.1 ").count(), 1, "a second request was seen: {answer:?}");
    assert!(answer.closed, "{answer:?}");
    assert!(!server.log().contains("smuggled"), "{}", server.last_of_log());
    goes_on(&server).await;
}

#[tokio::test]
async fn odd_targets_are_harmless() {
    let server = Server::start(Setup::new()).await;
    let token = server.admin().await.token().to_owned();
    let get = |target: &str| {
        let head = format!("GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        format!("{head}Authorization: Bearer {token}\r\n\r\n")
    };
    // RFC 9112 has servers accept the absolute form; the host in it means nothing to us.
    let absolute = send(&server, get("http://evil.example/api/settings/public")).await;
    assert_eq!(absolute.status, Some(200), "{absolute:?}");
    for target in [
        "//",
        "//etc/passwd",
        "/..",
        "/../..",
        "/../Cargo.toml",
        "/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/..%5cCargo.toml",
        "/assets/../../Cargo.toml",
        "/assets/..%2f..%2fpackage.json",
        "/%00",
        "/%ff%fe",
        "/%c0%ae%c0%ae/",
        "/%",
        "/%zz",
        "/api//users",
        "/api/../api/users",
        "/api/users/%2e%2e",
        "//api/users",
        "///disk/api/resources/",
        "*",
        "a",
    ] {
        let answer = send(&server, get(target)).await;
        assert!(answer.status.is_some(), "{target}: {answer:?}");
        for inside in ["[workspace]", "[package]", "\"devDependencies\"", "root:"] {
            assert!(!answer.text.contains(inside), "{target} shows a file: {answer:?}");
        }
    }
    for target in [
        "/disk/api/raw/../../signing-key.pem",
        "/disk/api/raw/share/../../../yunlab.db",
        "/disk/api/raw/%2e%2e/yunlab.db",
        "/disk/api/raw/share/..%2f..%2f..%2fyunlab.db",
        "/disk/api/raw//share",
        "/disk/api/raw/share/%00",
        "/disk/api/raw/%ff",
        "/disk/api/raw/%c0%af",
        "/disk/api/resources/./share",
        "/disk/../yunlab.db",
        "/disk/api/raw/.yunlab/uploads",
        "/disk/api/resources/.yunlab/",
        "/disk//api/resources/",
    ] {
        let answer = send(&server, get(target)).await;
        let status = answer.status.unwrap_or_default();
        assert!((400..500).contains(&status), "{target}: {answer:?}");
    }
    refused(&server, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n").await;
    refused(&server, "TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    goes_on(&server).await;
}

/// Longer than the server waits for a head.
const TOO_SLOW: Duration = Duration::from_secs(45);

#[tokio::test]
async fn who_does_not_finish_a_head_is_hung_up_on() {
    let server = Server::start(Setup::new()).await;
    let begun = exchange(server.address(), b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", TOO_SLOW);
    let preface = exchange(server.address(), b"PRI * HT", TOO_SLOW);
    let silent = exchange(server.address(), b"", TOO_SLOW);
    let (begun, preface, silent) = tokio::join!(begun, preface, silent);
    let held: Vec<&str> = [
        ("a head that is not finished", begun.closed),
        ("a preface that is not finished", preface.closed),
        ("silence", silent.closed),
    ]
    .into_iter()
    .filter_map(|(what, closed)| (!closed).then_some(what))
    .collect();
    assert!(held.is_empty(), "these hold a connection for ever: {held:?}");
    goes_on(&server).await;
}

#[tokio::test]
async fn many_idle_connections_do_not_keep_others_out() {
    let server = Server::start(Setup::new()).await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        idle.push(TcpStream::connect(server.address()).await.expect("a connection"));
    }
    goes_on(&server).await;
}
