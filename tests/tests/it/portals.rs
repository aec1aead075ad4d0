//! Several portals on one PostgreSQL database: users, pages and servers are shared, and one portal looks after the
//! servers.

use std::fs;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use testkit::TestEngine;
use tests::{Client, Server, Setup, encoded, until};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::compute::{becomes, form, lab};
use crate::metrics::{reader, with_metrics};

const PATIENCE: Duration = Duration::from_secs(60);
const KEYS: [&str; 2] = ["signing-key.pem", "sealing-key"];

/// A second portal beside this one, with the same keys and files.
pub(crate) fn beside(first: &Server) -> Setup {
    let disk_root = first.setup().data_dir().join("disk");
    let setup = with_metrics(Setup::new()).on_database_of(first.setup()).with("YUNLAB_DISK_ROOT", path(&disk_root));
    fs::create_dir(setup.data_dir()).expect("a data folder");
    for key in KEYS {
        fs::copy(first.setup().data_dir().join(key), setup.data_dir().join(key)).expect("a key");
    }
    setup
}

fn path(path: &std::path::Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

pub(crate) async fn looks_after_servers(server: &Server) -> bool {
    reader(server).get("/metrics").await.text().lines().any(|line| line == "yunlab_looks_after_servers 1")
}

#[tokio::test]
async fn one_of_two_portals_looks_after_the_servers_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let engine = TestEngine::start();
    let setup = with_metrics(setup).with("YUNLAB_DOCKER_HOST", &engine.address());
    let mut first = Server::start(setup).await;
    let (ann, _, id) = lab(&first).await;
    let mut second = Server::start(beside(&first).with("YUNLAB_DOCKER_HOST", &engine.address())).await;
    assert!(looks_after_servers(&first).await && !looks_after_servers(&second).await);

    // A session of one portal is valid at the other, which passes on the work.
    let at_second = second.anonymous().with_token(ann.token());
    let made = at_second.post("/api/instances", form(&id)).await.expect(202);
    let one = made["id"].as_str().expect("an id");
    becomes(&at_second, one, "running").await;

    first.kill_hard();
    until("the second portal to take over", PATIENCE, async || looks_after_servers(&second).await.then_some(())).await;
    at_second.act(&format!("/api/instances/{one}/stop")).await.is(202);
    becomes(&at_second, one, "stopped").await;

    // And back, when it leaves in good order.
    first.start_again().await;
    assert!(!looks_after_servers(&first).await);
    second.stop().await;
    until("the first portal to take over", PATIENCE, async || looks_after_servers(&first).await.then_some(())).await;
    let at_first = first.anonymous().with_token(ann.token());
    at_first.act(&format!("/api/instances/{one}/release")).await.is(202);
    becomes(&at_first, one, "released").await;
}

#[tokio::test]
async fn pages_of_two_portals_hear_the_same_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let first = Server::start(setup).await;
    let second = Server::start(beside(&first)).await;
    let admin = first.admin().await;
    let mut heard = listen(&second, &admin).await;
    let until_then = json!({ "title": "周五维护", "content": "18:00 起", "until": "2099-11-20T11:00:00Z" });
    admin.post("/api/announcements", until_then).await.is(201);
    assert_eq!(next_word(&mut heard).await, "announcements changed");
}

pub(crate) type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

pub(crate) async fn listen(server: &Server, who: &Client) -> Socket {
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(who.token()));
    connect_async(&address).await.expect("a websocket").0
}

/// The next message, except signs of life.
pub(crate) async fn next_word(socket: &mut Socket) -> String {
    let text = async {
        loop {
            match socket.next().await.expect("it stays open").expect("a frame") {
                Message::Text(text) if text != "pong" => return text.to_string(),
                _ => {}
            }
        }
    };
    tokio::time::timeout(PATIENCE, text).await.expect("a word")
}

#[tokio::test]
async fn a_portal_with_other_keys_is_refused_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let mut first = Server::start(setup).await;
    let stranger = Setup::new().on_database_of(first.setup());
    let data_dir = stranger.data_dir();
    let refused = stranger.run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", path(&data_dir)]);
    assert!(refused.expect_refused().contains("密钥不同"), "{refused:?}");
    // Without another portal the keys may be replaced, for example after they were leaked.
    first.stop().await;
    Server::start(stranger).await.admin().await;
}
