//! Clients that stall while sending a body or receiving a response. Their connections are closed in the end, use little
//! until then, and delay no other client.

use std::fs::{self, File};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use serde_json::json;
use tests::{Server, Setup, exchange, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, timeout};

/// Longer than the server waits for any client.
const TOO_SLOW: Duration = Duration::from_secs(120);
const CLIENTS: usize = 60;
const KIB_PER_CLIENT: u64 = 1536;

/// The process's memory in KiB.
fn memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process())).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The open files of the process below its disk.
fn open_files(server: &Server) -> usize {
    let disk = server.setup().data_dir().join("disk/share");
    let handles = fs::read_dir(format!("/proc/{}/fd", server.process())).expect("the process runs");
    handles.flatten().filter(|handle| fs::read_link(handle.path()).is_ok_and(|path| path.starts_with(&disk))).count()
}

#[tokio::test]
async fn who_does_not_go_on_is_hung_up_on() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let share = server.setup().data_dir().join("disk/share");
    File::create(share.join("large")).and_then(|file| file.set_len(1 << 30)).expect("a large file");
    fs::create_dir(share.join("folder")).expect("a folder");
    File::create(share.join("folder/large")).and_then(|file| file.set_len(1 << 30)).expect("a large file");
    let uploads = || fs::read_dir(server.setup().data_dir().join("disk/.yunlab/uploads")).expect("it").count();
    let head = |first: &str| format!("{first} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n", admin.token());

    let before = memory(&server);
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    for number in 0..CLIENTS {
        let path = if number % 2 == 0 { "share/large" } else { "share/folder?algo=tar" };
        let mut reader = TcpStream::connect(server.address()).await.expect("a connection");
        let request = format!("{}\r\n", head(&format!("GET /disk/api/raw/{path}")));
        reader.write_all(request.as_bytes()).await.expect("a request");
        // The response has begun; from here on the client reads nothing.
        reader.read_exact(&mut [0; 100]).await.expect("an answer");
        readers.push(reader);
        let mut writer = TcpStream::connect(server.address()).await.expect("a connection");
        let first = head(&format!("POST /disk/api/resources/share/new{number}"));
        let request = format!("{first}Content-Length: 1000000\r\n\r\nbegun");
        writer.write_all(request.as_bytes()).await.expect("a request");
        writers.push(writer);
    }
    let begun = async || (uploads() == CLIENTS && open_files(&server) >= CLIENTS).then_some(());
    until("all of them to begin", TOO_SLOW, begun).await;
    // Other clients are served meanwhile, and nothing is buffered for stalled ones.
    admin.upload("/share/other", "other").await.is(200);
    admin.download("/share/other").await.is(200);
    let grown = memory(&server).saturating_sub(before);
    assert!(grown < 2 * CLIENTS as u64 * KIB_PER_CLIENT, "{} MiB more", grown / 1024);

    let address = server.address();
    let half_after = |head: String, kind: &str| {
        let request = format!("{head}Content-Type: {kind}\r\nContent-Length: 5\r\n\r\n{{");
        async move { exchange(address, request.as_bytes(), TOO_SLOW).await }
    };
    let half = |first: &str, kind: &str| half_after(head(first), kind);
    let app = admin.post("/api/profile/app-passwords", json!({ "name": "slow" })).await.expect(201);
    let basic = STANDARD.encode(format!("admin:{}", app["password"].as_str().expect("a password")));
    let dav = format!("PUT /disk/dav/share/half-dav HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n");
    let (of_disk, of_portal, of_upload, of_dav) = tokio::join!(
        half("PUT /disk/api/settings", "application/json"),
        half("PUT /api/settings", "application/json"),
        half("POST /disk/api/resources/share/half", "application/octet-stream"),
        half_after(dav, "application/octet-stream"),
    );
    for slow in [of_disk, of_portal, of_upload, of_dav] {
        assert!(slow.closed && slow.status == Some(408), "{slow:?}");
    }
    until("the slow uploads to end", TOO_SLOW, async || (uploads() == 0).then_some(())).await;
    until("the slow downloads to end", TOO_SLOW, async || (open_files(&server) == 0).then_some(())).await;
    assert!((0..CLIENTS).all(|number| !share.join(format!("new{number}")).exists()));
    assert!(!server.log().contains("panicked"), "{}", server.last_of_log());
    drop((readers, writers));
}

/// D5: a body that arrives byte by byte is cut off in the end.
#[tokio::test]
async fn a_small_body_may_not_take_for_ever() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let app = admin.post("/api/profile/app-passwords", json!({ "name": "slow" })).await.expect(201);
    let basic = STANDARD.encode(format!("admin:{}", app["password"].as_str().expect("a password")));
    let head =
        |first: &str, credential: &str| format!("{first} HTTP/1.1\r\nHost: x\r\nAuthorization: {credential}\r\n");
    let (bearer, basic) = (format!("Bearer {}", admin.token()), format!("Basic {basic}"));
    let heads = [
        "POST /api/auth HTTP/1.1\r\nHost: x\r\n".to_owned(),
        head("PUT /disk/api/settings", &bearer),
        head("POST /disk/api/tasks", &bearer),
        head("POST /disk/api/share/share/", &bearer),
        head("PROPFIND /disk/dav/share/", &basic),
        head("PROPPATCH /disk/dav/share/", &basic),
        head("LOCK /disk/dav/share/new", &basic),
    ];
    let dribble = async |head: String| {
        let mut stream = TcpStream::connect(server.address()).await.expect("a connection");
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("a head");
        let mut bytes = interval(Duration::from_secs(2));
        let mut answer = vec![0; 100];
        loop {
            tokio::select! {
                read = stream.read(&mut answer) => {
                    let count = read.expect("an answer");
                    return String::from_utf8_lossy(&answer[..count]).into_owned();
                }
                _ = bytes.tick() => stream.write_all(b" ").await.expect("one byte more"),
            }
        }
    };
    let all = join_all(heads.iter().map(|head| dribble(head.clone())));
    for (head, answer) in heads.iter().zip(timeout(Duration::from_secs(50), all).await.expect("an end")) {
        assert!(answer.starts_with("HTTP/1.1 408"), "{head}{answer}");
    }
}
