//! Flaws of reading requests: bytes that no decent client sends.

use crate::tests::harness::TestDisk;

/// Requests that two servers could interpret differently.
#[tokio::test]
async fn ghsa_6jqf_ambiguous_requests_are_refused() {
    let disk = TestDisk::new().await;
    let head = "POST /disk/api/resources/home/x?auth=ann HTTP/1.1\nHost: x\nConnection: close\n".replace('\n', "\r\n");
    let bodies = [
        "Transfer-Encoding: chunked\nContent-Length: 5\n\n0\n\n",
        "Content-Length: 5\nContent-Length: 6\n\nhello",
        "Content-Length: -1\n\n",
        "Content-Length: +5\n\nhello",
        "Content-Length: 5, 6\n\nhello",
        "Content-Length: 99999999999999999999999999\n\n",
        "Transfer-Encoding: chunked, identity\n\n0\n\n",
        "Transfer-Encoding: chunked\n\n-1\nhello\n0\n\n",
    ];
    for body in bodies {
        let body = body.replace('\n', "\r\n");
        let answer = disk.exchange(format!("{head}{body}").as_bytes()).await;
        let refused = answer.starts_with("HTTP/1.1 4") || answer.is_empty();
        // RFC 9112 lets chunked take precedence over a length, as long as the connection ends with it.
        let chunked_won = body.contains("chunked\r\nContent-Length") && answer.contains("connection: close");
        assert!(refused || chunked_won, "{body:?} -> {answer}");
    }
    // A bare line feed after a chunk's size.
    let head = head.replace("home/x", "home/y");
    let answer =
        disk.exchange(format!("{head}Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n").as_bytes()).await;
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    assert!(!disk.real("home/ann/y").exists());
}

/// CVE-2026-54092: a body of any size is read before anything is checked. The login is the portal's; these are the
/// disk's own calls with JSON.
#[tokio::test]
async fn ghsa_w5fm_huge_json_is_refused_unread() {
    let disk = TestDisk::new().await;
    let json = format!("{{\"password\":\"{}", "x".repeat(4 * 1024 * 1024));
    for (method, path) in
        [("PUT", "settings"), ("POST", "users"), ("PUT", "users/2"), ("POST", "tasks"), ("POST", "share/home/a")]
    {
        for token in ["", "?auth=ann", "?auth=root"] {
            let head = format!(
                "{method} /disk/api/{path}{token} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                 Content-Length: 1073741824\r\n\r\n"
            );
            let answer = disk.exchange(format!("{head}{json}").as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 4"), "{method} {path}{token}: {answer}");
        }
    }
}
