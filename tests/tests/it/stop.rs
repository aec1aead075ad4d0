//! On SIGTERM, the server lets running work finish, notifies the pages, and ends with 0.

use std::fs;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt, stream};
use http::Method;
use tests::{Client, Random, Server, Setup, digest, encoded, until};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Far less than the server would grant to running requests.
const SOON: Duration = Duration::from_secs(15);

/// An upload whose body the test sends in pieces.
struct Upload {
    pieces: mpsc::Sender<Bytes>,
    answer: JoinHandle<reqwest::Result<tests::Answer>>,
}

impl Upload {
    /// Starts it and waits until the disk has begun to write.
    async fn begin(server: &Server, client: &Client, path: &str, first: Vec<u8>) -> Self {
        let (pieces, receiver) = mpsc::channel::<Bytes>(1);
        let body = stream::unfold(receiver, |mut receiver| async move {
            let piece = receiver.recv().await?;
            Some((Ok::<_, std::io::Error>(piece), receiver))
        });
        let request = client.request(Method::POST, &format!("/disk/api/resources{path}"));
        let request = request.body(reqwest::Body::wrap_stream(body));
        let client = client.clone();
        let answer = tokio::spawn(async move { client.try_send(request).await });
        pieces.send(first.into()).await.expect("the upload runs");
        let staged = server.setup().data_dir().join("disk/.yunlab/uploads");
        until("the beginning of the upload", SOON, async || fs::read_dir(&staged).ok()?.next()).await.expect("a file");
        Self { pieces, answer }
    }
}

async fn refuses_connections(server: &Server) {
    until("refused connections", SOON, async || {
        let outcome = TcpStream::connect(server.address()).await;
        outcome.err().filter(|error| error.kind() == ErrorKind::ConnectionRefused)
    })
    .await;
}

#[tokio::test]
async fn an_upload_in_flight_finishes_and_pages_are_told() {
    let mut server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let content = Random::new(1).bytes(3_000_000);
    let (first, second) = content.split_at(1_200_000);
    let upload = Upload::begin(&server, &admin, "/share/late.bin", first.to_vec()).await;
    let ticket = admin.ticket("GET", "/api/websocket/broadcast").await;
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(&ticket));
    let (mut page, _) = connect_async(address).await.expect("a websocket");

    server.ask_to_stop();
    refuses_connections(&server).await;
    let mut words = Vec::new();
    let farewell = until("the close frame", SOON, async || match page.next().await {
        Some(Ok(Message::Close(frame))) => Some(frame),
        Some(Ok(Message::Text(text))) => {
            words.push(text.to_string());
            None
        }
        Some(Ok(_)) => None,
        other => panic!("the page lost its connection without a word: {other:?}"),
    });
    assert_eq!(farewell.await.expect("a reason").code, CloseCode::Away);
    assert_eq!(words, ["restarting lab"]);
    // The client's part of the close; the server may have hung up already.
    let _ = page.close(None).await;

    upload.pieces.send(second.to_vec().into()).await.expect("the upload still runs");
    drop(upload.pieces);
    upload.answer.await.expect("no panic").expect("an answer").is(200);
    let status = server.ended().await;
    assert!(status.success(), "{status}: {}", server.last_of_log());
    let kept = fs::read(server.setup().data_dir().join("disk/share/late.bin")).expect("the file is in its place");
    assert_eq!(digest(&kept), digest(&content));
}

#[tokio::test]
async fn open_connections_without_work_do_not_hold_it_up() {
    let mut server = Server::start(Setup::new()).await;
    let kept_alive = server.admin().await;
    let _untouched = TcpStream::connect(server.address()).await.expect("a connection");
    kept_alive.get("/api/users/public").await.is(200);
    let start = Instant::now();
    server.stop().await;
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
}

#[tokio::test]
async fn an_upload_that_does_not_end_is_given_up_and_leaves_nothing() {
    let mut server = Server::start(Setup::new().with("YUNLAB_STOP_SECONDS", "1")).await;
    let admin = server.admin().await;
    let upload = Upload::begin(&server, &admin, "/share/stuck.bin", vec![7; 2_000_000]).await;
    let start = Instant::now();
    server.stop().await;
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    upload.answer.await.expect("no panic").expect("an answer").is(503);
    let disk = server.setup().data_dir().join("disk");
    assert!(!disk.join("share/stuck.bin").exists());
    server.start_again().await;
    assert_eq!(fs::read_dir(disk.join(".yunlab/uploads")).expect("the folder for uploads").count(), 0);
}

#[tokio::test]
async fn a_page_that_does_not_answer_does_not_hold_it_up() {
    let mut server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), admin.token());
    let (mut silent, _) = connect_async(address).await.expect("a websocket");
    silent.send(Message::text("ping")).await.expect("the socket is open");
    let start = Instant::now();
    server.stop().await;
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    drop(silent);
}
