//! Over a real connection: clients that disconnect, are slow, or send malformed HTTP.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, timeout};

use super::harness::TestDisk;

/// A disk that is spoken to in bytes.
pub(super) struct Served {
    pub(super) disk: TestDisk,
}

impl Served {
    pub(super) async fn new() -> Self {
        Self { disk: TestDisk::new().await }
    }

    pub(super) async fn open(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.disk.address()).await.unwrap();
        let request = request.replace("\n", "\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The whole response; the request must ask for the connection to be closed.
    async fn ask(&self, request: &str) -> String {
        let mut stream = self.open(request).await;
        let mut answer = Vec::new();
        timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await.unwrap().unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// Waits until it is so, looking again and again.
pub(super) async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let mut ticks = interval(Duration::from_millis(2));
    let waiting = async {
        while !so() {
            ticks.tick().await;
        }
    };
    timeout(Duration::from_secs(20), waiting).await.unwrap_or_else(|_| panic!("{what} did not happen"));
}

#[tokio::test]
async fn an_upload_whose_client_goes_away_leaves_nothing() {
    let served = Served::new().await;
    served.disk.seed("home/ann/a.txt", "old");
    let request = "POST /disk/api/resources/home/a.txt?override=true&auth=ann HTTP/1.1\nHost: x\n\
         Content-Length: 3000000\n\npart";
    let mut stream = served.open(request).await;
    stream.write_all(&vec![b'x'; 1_500_000]).await.unwrap();
    until("the upload's start", || !served.disk.leftovers().is_empty()).await;
    drop(stream);
    until("the upload's end", || served.disk.leftovers().is_empty()).await;
    assert_eq!(served.disk.read("home/ann/a.txt"), "old");
}

#[tokio::test]
async fn a_refused_upload_still_gets_its_answer() {
    let served = Served::new().await;
    served.disk.seed("home/ann/a.txt", "old");
    for (token, status) in [("ann", "409 Conflict"), ("ended", "401 Unauthorized")] {
        let head = "HTTP/1.1\nHost: x\nContent-Length: 8000000\n\n";
        let mut stream = served.open(&format!("POST /disk/api/resources/home/a.txt?auth={token} {head}")).await;
        // The client sends everything before it reads anything, as browsers do.
        stream.write_all(&vec![b'x'; 8_000_000]).await.unwrap();
        let mut answer = vec![0; 64];
        let read = stream.read(&mut answer).await.unwrap();
        assert!(String::from_utf8_lossy(&answer[..read]).starts_with(&format!("HTTP/1.1 {status}")));
    }
    // Too long to be put into another encoding, as is found on the way.
    let head =
        "PUT /disk/api/resources/home/a.txt?encoding=gbk&auth=ann HTTP/1.1\nHost: x\nContent-Length: 40000000\n\n";
    let mut stream = served.open(head).await;
    stream.write_all(&vec![b'x'; 40_000_000]).await.unwrap();
    let mut answer = vec![0; 64];
    let read = stream.read(&mut answer).await.unwrap();
    assert!(String::from_utf8_lossy(&answer[..read]).starts_with("HTTP/1.1 413 "));
    // Over the quota, as announced and as found while receiving.
    served.disk.portal.set(2, |ann| ann.disk_quota = 2_000_000);
    for (head, body) in [
        ("Content-Length: 8000000", vec![b'x'; 8_000_000]),
        (
            "Transfer-Encoding: chunked",
            [b"7a1200\r\n".to_vec(), vec![b'x'; 8_000_000], b"\r\n0\r\n\r\n".to_vec()].concat(),
        ),
    ] {
        let head = format!("POST /disk/api/resources/home/b?auth=ann HTTP/1.1\nHost: x\n{head}\n\n");
        let mut stream = served.open(&head).await;
        stream.write_all(&body).await.unwrap();
        let mut answer = vec![0; 64];
        let read = stream.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        assert!(answer.starts_with("HTTP/1.1 507 "), "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_asks_first_is_refused_before_it_sends() {
    let served = Served::new().await;
    served.disk.seed("home/ann/a.txt", "old");
    let answer = served
        .ask(
            "POST /disk/api/resources/home/a.txt?auth=ann HTTP/1.1\nHost: x\nConnection: close\n\
             Expect: 100-continue\nContent-Length: 8000000\n\n",
        )
        .await;
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
}

#[tokio::test]
async fn a_download_whose_client_goes_away_ends() {
    let served = Served::new().await;
    served.disk.seed("home/ann/big", vec![7; 20_000_000]);
    let mut stream = served.open("GET /disk/api/raw/home/big?auth=ann HTTP/1.1\nHost: x\n\n").await;
    let mut some = [0; 1000];
    stream.read_exact(&mut some).await.unwrap();
    drop(stream);
    let answer = served.ask("GET /disk/health HTTP/1.1\nHost: x\nConnection: close\n\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Whether this process has the file open.
fn is_open(path: &std::path::Path) -> bool {
    let handles = std::fs::read_dir("/proc/self/fd").unwrap();
    handles.flatten().any(|handle| std::fs::read_link(handle.path()).is_ok_and(|target| target == path))
}

#[tokio::test]
async fn an_archive_whose_client_goes_away_ends() {
    let served = Served::new().await;
    let big = served.disk.seed("home/ann/d/big", "");
    std::fs::File::options().write(true).open(&big).unwrap().set_len(1 << 40).unwrap();
    for algorithm in ["zip", "tar", "targz"] {
        let request = format!("GET /disk/api/raw/home/d?auth=ann&algo={algorithm} HTTP/1.1\nHost: x\n\n");
        let mut stream = served.open(&request).await;
        let mut some = [0; 500];
        stream.read_exact(&mut some).await.unwrap();
        assert!(is_open(&big), "{algorithm}");
        drop(stream);
        until("the archive's end", || !is_open(&big)).await;
    }
}

#[tokio::test]
async fn a_digest_whose_client_goes_away_ends() {
    let served = Served::new().await;
    let big = served.disk.seed("home/ann/big", "");
    std::fs::File::options().write(true).open(&big).unwrap().set_len(1 << 40).unwrap();
    for algorithm in ["md5", "sha512"] {
        let request = format!("GET /disk/api/resources/home/big?auth=ann&checksum={algorithm} HTTP/1.1\nHost: x\n\n");
        let stream = served.open(&request).await;
        until("the digest's start", || is_open(&big)).await;
        drop(stream);
        until("the digest's end", || !is_open(&big)).await;
    }
}

/// A client that reads nothing of many archives holds a thread for each; other clients still get theirs.
#[tokio::test]
async fn nobody_keeps_all_others_waiting() {
    let served = Served::new().await;
    served.disk.portal.add(77, "greedy");
    served.disk.seed("share/small/a", "a");
    let big = served.disk.seed("share/big/a", "");
    std::fs::File::options().write(true).open(&big).unwrap().set_len(1 << 40).unwrap();
    let mut waiting = Vec::new();
    for _ in 0..150 {
        waiting.push(served.open("GET /disk/api/raw/share/big?auth=user77&algo=tar HTTP/1.1\nHost: x\n\n").await);
    }
    let open = || {
        let handles = std::fs::read_dir("/proc/self/fd").unwrap();
        handles.flatten().filter(|handle| std::fs::read_link(handle.path()).is_ok_and(|path| path == big)).count()
    };
    until("as many as one may have", || open() == 32).await;
    let request = "GET /disk/api/raw/share/small?auth=ann&algo=tar HTTP/1.1\nHost: x\nConnection: close\n\n";
    assert!(served.ask(request).await.starts_with("HTTP/1.1 200"));
    assert_eq!(open(), 32);
    drop(waiting);
    until("the end of all", || open() == 0).await;
}

#[tokio::test]
async fn an_archive_that_breaks_off_does_not_look_whole() {
    let served = Served::new().await;
    served.disk.seed(&format!("home/ann/t/{}/x", ["d"; 310].join("/")), "x");
    for algorithm in ["zip", "tar"] {
        let answer = served
            .ask(&format!(
                "GET /disk/api/raw/home/t?auth=ann&algo={algorithm} HTTP/1.1\nHost: x\nConnection: close\n\n"
            ))
            .await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("transfer-encoding: chunked"), "{answer:?}");
        assert!(!answer.ends_with("0\r\n\r\n"));
    }
}
