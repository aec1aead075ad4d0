//! L7: requests that different servers may read differently.

use std::time::Duration;

use tests::{Server, Setup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The statuses of all answers on a connection of its own.
async fn statuses(server: &Server, request: &str) -> Vec<u16> {
    let mut stream = TcpStream::connect(server.address()).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    // On a connection that stays open, nothing more arrives.
    while let Ok(Ok(count @ 1..)) = timeout(Duration::from_millis(500), stream.read(&mut buffer)).await {
        answer.extend_from_slice(&buffer[..count]);
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.match_indices("HTTP/1.").filter_map(|(at, _)| text.get(at + 9..at + 12)?.parse().ok()).collect()
}

#[tokio::test]
async fn requests_that_can_be_read_in_two_ways_are_refused() {
    let server = Server::start(Setup::new()).await;
    let fine = "GET /health HTTP/1.1\r\nHost: lab\r\n\r\n";
    for (request, expected) in [
        (fine.to_owned(), vec![200]),
        (format!("\r\n{fine}{fine}"), vec![200, 200]),
        ("GET /health HTTP/1.0\r\n\r\n".to_owned(), vec![200]),
        ("GET /health HTTP/1.1\nHost: lab\n\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab\r\nX: a\nContent-Length: 5\r\n\r\n".to_owned(), vec![400]),
        (format!("{fine}GET /health HTTP/1.1\r\nHost: lab\n\r\n"), vec![200, 400]),
        ("GET /health HTTP/1.1\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost:\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab\r\nHost: lab\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab\r\nHost: evil\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: a b\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab@evil\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost: lab\r\n X: folded\r\n\r\n".to_owned(), vec![400]),
        ("GET /health HTTP/1.1\r\nHost : lab\r\n\r\n".to_owned(), vec![400]),
        (
            "POST /api/auth HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde".to_owned(),
            vec![400],
        ),
    ] {
        assert_eq!(statuses(&server, &request).await, expected, "{request:?}");
    }
    // Bare line feeds are fine in a body.
    let body = "{\n\"username\": \"nobody\",\n\"password\": \"x\"\n}";
    let request = format!(
        "POST /api/auth HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}{fine}",
        body.len()
    );
    assert_eq!(statuses(&server, &request).await, [422, 200]);
}
