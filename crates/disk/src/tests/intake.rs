//! What changes at the place of an upload while its content comes in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::dav::{LOCK, by, send};
use super::harness::TestDisk;
use super::streaming::{Served, until};

/// Sends the first of three bytes, and waits until the upload is under way.
async fn begun(served: &Served, line: &str) -> TcpStream {
    let head = format!("{line}\nHost: x\nConnection: close\nContent-Length: 3\n\nn");
    let stream = served.open(&head).await;
    until("the upload's start", || !served.disk.leftovers().is_empty()).await;
    stream
}

/// Sends the rest, and returns the status line.
async fn ended(mut stream: TcpStream) -> String {
    stream.write_all(b"ew").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.lines().next().unwrap().to_owned()
}

async fn nothing_is_left(disk: &TestDisk) {
    until("the upload's end", || disk.leftovers().is_empty()).await;
}

#[tokio::test]
async fn a_lock_that_is_taken_holds() {
    for (method, query) in [("POST", "&override=true"), ("PUT", "")] {
        let served = Served::new().await;
        served.disk.seed("share/a", "hers");
        let line = format!("{method} /disk/api/resources/share/a?auth=bob{query} HTTP/1.1");
        let stream = begun(&served, &line).await;
        send(by(&served.disk, "ann"), "LOCK", "/share/a", LOCK).await.expect(200);
        assert_eq!(ended(stream).await, "HTTP/1.1 423 Locked");
        assert_eq!(served.disk.read("share/a"), "hers");
        nothing_is_left(&served.disk).await;
    }
}

#[tokio::test]
async fn a_file_that_is_made_stays_where_there_was_to_be_none() {
    let signed = format!("Authorization: Basic {}", STANDARD.encode("ann:app-ann"));
    for (line, status) in [
        ("POST /disk/api/resources/share/a?auth=ann HTTP/1.1".to_owned(), "409 Conflict"),
        (format!("PUT /disk/dav/share/a HTTP/1.1\n{signed}\nIf-None-Match: *"), "412 Precondition Failed"),
    ] {
        let served = Served::new().await;
        let stream = begun(&served, &line).await;
        served.disk.bob().post("/api/resources/share/a", "his").await.expect(200);
        assert_eq!(ended(stream).await, format!("HTTP/1.1 {status}"));
        assert_eq!(served.disk.read("share/a"), "his");
        nothing_is_left(&served.disk).await;
    }
}
