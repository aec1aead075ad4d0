//! Forwards in both directions.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::client::{House, run, until};
use crate::lab::INSTANCE;
use crate::root::Content;

/// A server in the instance that answers each connection with this command.
async fn server(house: &House, port: u16, command: &str) -> tokio::process::Child {
    let line = format!("nc -lk -p {port} -e sh -c '{command}'");
    let child = house.ssh(&[], &[&line]).spawn().unwrap();
    until("it listens", async || house.lab.root.sh("netstat -ltn").contains(&format!(":{port} "))).await;
    child
}

/// A free port of this machine, for a moment.
async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn ports_of_the_instance_are_reached_and_nothing_else() {
    let house = House::new(Content::Busybox).await;
    let _server = server(&house, 7001, "wc -c").await;
    for host in ["localhost", "127.0.0.1", INSTANCE] {
        let said = run(house.ssh(&["-W", &format!("{host}:7001")], &[]), &[7; 3_000_000]).await;
        assert_eq!(said.good().trim(), "3000000", "{host}");
    }
    for outside in ["10.0.0.1:80", "169.254.169.254:80", "example.org:80"] {
        let said = run(house.ssh(&["-W", outside], &[]), b"").await;
        assert!(said.errors.contains("only the instance itself"), "{outside}: {said:?}");
    }
    let said = run(house.ssh(&["-W", "localhost:7002"], &[]), b"").await;
    assert!(said.errors.contains("nothing listens there"), "{said:?}");
}

#[tokio::test]
async fn many_connections_share_one_and_a_stalled_one_stalls_itself_alone() {
    let house = House::new(Content::Busybox).await;
    let _server = server(&house, 7001, "cat").await;
    let port = free_port().await;
    let forward = format!("127.0.0.1:{port}:localhost:7001");
    let _tunnel = house.ssh(&["-N", "-L", &forward], &[]).spawn().unwrap();
    until("the tunnel", async || TcpStream::connect(("127.0.0.1", port)).await.is_ok()).await;
    // Its answer is never read, so it is full both ways in the end.
    let mut stalled = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let _ = timeout(Duration::from_secs(2), stalled.write_all(&vec![1; 1_000_000])).await;
    let mut all = Vec::new();
    for n in 0..20_u8 {
        all.push(tokio::spawn(async move {
            let mut one = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            one.write_all(&[n; 1000]).await.unwrap();
            one.shutdown().await.unwrap();
            let mut answer = Vec::new();
            one.read_to_end(&mut answer).await.unwrap();
            assert_eq!(answer, [n; 1000]);
        }));
    }
    for one in all {
        timeout(Duration::from_secs(30), one).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn ports_and_sockets_of_the_instance_lead_to_the_client() {
    let house = House::new(Content::Busybox).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut line = [0; 6];
            stream.read_exact(&mut line).await.unwrap();
            stream.write_all(&[b"heard ", &line[..]].concat()).await.unwrap();
        }
    });
    let port = format!("7010:127.0.0.1:{here}");
    let said = run(house.ssh(&["-R", &port], &["echo hello | nc localhost 7010"]), b"").await;
    assert_eq!(said.good(), "heard hello\n");
    // It is gone with the connection.
    until("the port is free", async || !house.lab.root.sh("netstat -ltn").contains(":7010 ")).await;
    let socket = format!("/tmp/socket:127.0.0.1:{here}");
    let said = run(house.ssh(&["-R", &socket], &["test -S /tmp/socket && echo is there"]), b"").await;
    assert_eq!(said.good(), "is there\n");
    until("the socket is gone", async || house.lab.root.sh("ls /tmp").is_empty()).await;
}

#[tokio::test]
async fn the_clients_agent_is_there_when_it_is_offered() {
    let house = House::new(Content::Busybox).await;
    let socket = house.file("agent");
    let mut agent = tokio::process::Command::new("ssh-agent");
    let mut agent = agent.arg("-D").arg("-a").arg(&socket).kill_on_drop(true).spawn().unwrap();
    until("the agent", async || socket.exists()).await;
    let mut client = house.ssh(&["-A"], &["test -S $SSH_AUTH_SOCK && echo offered"]);
    client.env("SSH_AUTH_SOCK", &socket);
    assert_eq!(run(client, b"").await.good(), "offered\n");
    let said = house.run(&["echo _${SSH_AUTH_SOCK}_"]).await;
    assert_eq!(said.good(), "__\n");
    agent.kill().await.unwrap();
}
