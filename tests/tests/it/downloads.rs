//! Downloads over plain connections, where the kernel sends the file: every byte is right, for any size, range, order
//! and speed of the client.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use tests::{Client, Random, Server, Setup, digest, until};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const SOON: Duration = Duration::from_secs(20);

/// A connection on which raw requests are sent.
struct Connection(BufReader<TcpStream>);

/// An answer's head and body.
struct Got {
    status: u16,
    length: usize,
    body: Vec<u8>,
}

impl Connection {
    async fn open(server: &Server) -> Self {
        Self(BufReader::new(TcpStream::connect(server.address()).await.expect("the server listens")))
    }

    async fn send(&mut self, requests: &str) {
        self.0.get_mut().write_all(requests.as_bytes()).await.expect("the server reads");
    }

    /// The status and the length that the next answer announces.
    async fn head(&mut self) -> (u16, usize) {
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.expect("a head in ASCII");
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                return (status, length);
            }
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest[..3].parse().expect("a status");
            } else if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.parse().expect("a length");
            }
        }
    }

    async fn answer(&mut self, method: &str) -> Got {
        let (status, length) = self.head().await;
        let mut body = vec![0; if method == "HEAD" { 0 } else { length }];
        self.0.read_exact(&mut body).await.expect("a whole body");
        Got { status, length, body }
    }
}

fn request(method: &str, path: &str, client: &Client, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{more}\r\n", client.token())
}

fn share(server: &Server) -> PathBuf {
    server.setup().data_dir().join("disk/share")
}

/// Whether the server has a file of this name open.
fn is_open(server: &Server, name: &str) -> bool {
    let handles = fs::read_dir(format!("/proc/{}/fd", server.process())).expect("the process runs");
    handles.flatten().any(|handle| fs::read_link(handle.path()).is_ok_and(|target| target.ends_with(name)))
}

#[tokio::test]
async fn every_byte_of_every_part_on_one_connection() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let mut random = Random::new(20_261_121);
    // Sizes around those that are copied, read and sent at once.
    let edges = [16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20];
    let mut sizes: Vec<usize> = edges.iter().flat_map(|edge| [edge - 1, *edge, edge + 1]).collect();
    sizes.extend([0, 1, 2_500_000]);
    sizes.extend((0..6).map(|_| random.below(3_000_000)));
    let files: Vec<_> = sizes.into_iter().map(|size| random.bytes(size)).collect();
    for (number, content) in files.iter().enumerate() {
        fs::write(share(&server).join(number.to_string()), content).expect("a file");
    }
    let mut connection = Connection::open(&server).await;
    for _ in 0..40 {
        // Pipelining: a client that does not wait for the response before its next request.
        let mut asked = String::new();
        let mut expected = Vec::new();
        for _ in 0..1 + random.below(6) {
            let number = random.below(files.len());
            let (path, content) = (format!("/disk/api/raw/share/{number}"), &files[number]);
            match random.below(5) {
                0 => {
                    asked += &request("HEAD", &path, &admin, "");
                    expected.push(("HEAD", 200, content.len(), digest(b"")));
                }
                1 => {
                    asked += &request("GET", "/disk/api/raw/share/none", &admin, "");
                    expected.push(("GET", 404, 14, digest(b"404 Not Found\n")));
                }
                2 if !content.is_empty() => {
                    let first = random.below(content.len());
                    let last = first + random.below(content.len() - first);
                    asked += &request("GET", &path, &admin, &format!("Range: bytes={first}-{last}\r\n"));
                    expected.push(("GET", 206, last - first + 1, digest(&content[first..=last])));
                }
                _ => {
                    asked += &request("GET", &path, &admin, "");
                    expected.push(("GET", 200, content.len(), digest(content)));
                }
            }
        }
        connection.send(&asked).await;
        for (method, status, length, sum) in expected {
            let got = connection.answer(method).await;
            assert_eq!((got.status, got.length, digest(&got.body)), (status, length, sum), "{asked}");
        }
    }
}

#[tokio::test]
async fn several_parts_with_their_headings_between() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let content = Random::new(2).bytes(2_000_000);
    fs::write(share(&server).join("parts"), &content).expect("a file");
    let mut connection = Connection::open(&server).await;
    let range = "Range: bytes=0-699999,1000000-1000001,1200000-1999999\r\n";
    connection.send(&request("GET", "/disk/api/raw/share/parts", &admin, range)).await;
    let got = connection.answer("GET").await;
    assert_eq!(got.status, 206);
    let parts = [&content[..700_000], &content[1_000_000..1_000_002], &content[1_200_000..]];
    let mut rest = got.body.as_slice();
    for part in parts {
        let heading = rest.windows(4).position(|window| window == b"\r\n\r\n").expect("a heading") + 4;
        assert!(heading < 200, "bytes of nobody before a part");
        rest = &rest[heading..];
        assert!(rest.starts_with(part));
        rest = &rest[part.len()..];
    }
    assert!(rest.starts_with(b"\r\n--") && rest.ends_with(b"--\r\n"));
}

#[tokio::test]
async fn a_file_that_becomes_shorter_breaks_the_connection() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let content = Random::new(3).bytes(64 << 20);
    let path = share(&server).join("shrinks");
    fs::write(&path, &content).expect("a file");
    let mut connection = Connection::open(&server).await;
    let next = request("GET", "/disk/health", &admin, "");
    connection.send(&(request("GET", "/disk/api/raw/share/shrinks", &admin, "") + &next)).await;
    let (status, length) = connection.head().await;
    assert_eq!((status, length), (200, content.len()));
    File::options().write(true).open(&path).expect("the file").set_len(1 << 20).expect("a shorter file");
    let mut got = Vec::new();
    // A reset is as good an end as any.
    let _ = connection.0.read_to_end(&mut got).await;
    assert!(got.len() >= 1 << 20 && got.len() < content.len(), "{} bytes", got.len());
    // The sent pages were the file's own, which the kernel clears when the file is truncated.
    let cleared = |(byte, was): (&u8, &u8)| byte == was || *byte == 0;
    assert!(got[..1 << 20] == content[..1 << 20], "other bytes where the file is still whole");
    assert!(got.iter().zip(&content).all(cleared), "bytes that the file never had");
}

#[tokio::test]
async fn clients_that_go_away_hold_nothing() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let content = Random::new(4).bytes(32 << 20);
    fs::write(share(&server).join("left"), &content).expect("a file");
    for read in [0, 1, 1 << 20, 20 << 20] {
        let mut connection = Connection::open(&server).await;
        connection.send(&request("GET", "/disk/api/raw/share/left", &admin, "")).await;
        connection.head().await;
        connection.0.read_exact(&mut vec![0; read]).await.expect("the first bytes");
        drop(connection);
        until("the file to be closed", SOON, async || (!is_open(&server, "left")).then_some(())).await;
    }
    assert_eq!(digest(&admin.download("/share/left").await.body), digest(&content));
}

#[tokio::test]
async fn a_slow_client_gets_its_file_from_a_server_that_stops() {
    let mut server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let content = Random::new(5).bytes(32 << 20);
    fs::write(share(&server).join("slow"), &content).expect("a file");
    let mut connection = Connection::open(&server).await;
    connection.send(&request("GET", "/disk/api/raw/share/slow", &admin, "")).await;
    connection.head().await;
    let mut got = vec![0; 100_000];
    connection.0.read_exact(&mut got).await.expect("the first bytes");
    server.ask_to_stop();
    until("the server to stop listening", SOON, async || TcpStream::connect(server.address()).await.err()).await;
    connection.0.read_to_end(&mut got).await.expect("the rest");
    assert_eq!(digest(&got), digest(&content));
    assert!(server.ended().await.success());
}
