//! What changes at the place of an upload while its content comes in.

use std::fs;
use std::path::Path;

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

/// A request over WebDAV, up to the headers of its own.
fn dav(method: &str, username: &str) -> String {
    let signed = STANDARD.encode(format!("{username}:app-{username}"));
    format!("{method} /disk/dav/share/a HTTP/1.1\nAuthorization: Basic {signed}")
}

#[tokio::test]
async fn a_lock_that_is_taken_holds() {
    for line in [
        "POST /disk/api/resources/share/a?auth=bob&override=true HTTP/1.1".to_owned(),
        "PUT /disk/api/resources/share/a?auth=bob HTTP/1.1".to_owned(),
        dav("PUT", "bob"),
    ] {
        let served = Served::new().await;
        served.disk.seed("share/a", "hers");
        let stream = begun(&served, &line).await;
        send(by(&served.disk, "ann"), "LOCK", "/share/a", LOCK).await.expect(200);
        assert_eq!(ended(stream).await, "HTTP/1.1 423 Locked");
        assert_eq!(served.disk.read("share/a"), "hers");
        nothing_is_left(&served.disk).await;
    }
}

#[tokio::test]
async fn a_file_that_is_made_stays_where_there_was_to_be_none() {
    for (line, status) in [
        ("POST /disk/api/resources/share/a?auth=ann HTTP/1.1".to_owned(), "409 Conflict"),
        (format!("{}\nIf-None-Match: *", dav("PUT", "ann")), "412 Precondition Failed"),
    ] {
        let served = Served::new().await;
        let stream = begun(&served, &line).await;
        served.disk.bob().post("/api/resources/share/a", "his").await.expect(200);
        assert_eq!(ended(stream).await, format!("HTTP/1.1 {status}"));
        assert_eq!(served.disk.read("share/a"), "his");
        nothing_is_left(&served.disk).await;
    }
}

fn is_hers(file: &Path) -> bool {
    fs::read(file).is_ok_and(|content| content == b"hers")
}

/// A partial update has the rest of the content from before, so it depends on that without a condition, too.
#[tokio::test]
async fn a_file_that_is_changed_stays_where_another_content_was_expected() {
    let part = "Content-Type: application/x-sabredav-partialupdate\nX-Update-Range: append";
    for (line, conditional) in [
        ("PUT /disk/api/resources/share/a?auth=ann HTTP/1.1".to_owned(), true),
        (dav("PUT", "ann"), true),
        (format!("{}\n{part}", dav("PATCH", "ann")), false),
    ] {
        let served = Served::new().await;
        served.disk.seed("share/a", "hers");
        let seen = served.disk.ann().get("/api/raw/share/a").await.expect(200).header("etag").to_owned();
        let condition = if conditional { format!("\nIf-Match: {seen}") } else { String::new() };
        let stream = begun(&served, &format!("{line}{condition}")).await;
        if !conditional {
            until("a copy of the content", || served.disk.leftovers().iter().any(|file| is_hers(file))).await;
        }
        served.disk.bob().put("/api/resources/share/a", "his").await.expect(200);
        assert_eq!(ended(stream).await, "HTTP/1.1 412 Precondition Failed", "{line}");
        assert_eq!(served.disk.read("share/a"), "his");
        nothing_is_left(&served.disk).await;
    }
}
