//! Connections to the instance's own sockets, and sockets that listen in it.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tools::client::Session;
use tools::wire::{Address, Exit, Refusal};

use crate::root::{Content, Root};
use crate::support::{LIMIT, outcome, refusal, said, shell, shows, until};

/// A server in the instance that answers each connection with this command.
async fn server(root: &Root, session: &Session, port: u16, command: &str) -> tools::client::Process {
    let process = session.shell(shell(&format!("nc -lk -p {port} -e sh -c '{command}'"))).await.unwrap();
    until("it listens", || root.sh("netstat -ltn").contains(&format!(":{port} "))).await;
    process
}

#[tokio::test]
async fn each_direction_ends_by_itself() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let _server = server(&root, &session, 7001, "wc -c").await;
    let mut stream = session.tcp(Address::Loopback, 7001).await.unwrap();
    stream.write_all(&vec![7; 3_000_000]).await.unwrap();
    // Only the end of the input makes it answer.
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    timeout(LIMIT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer.trim(), "3000000");
}

#[tokio::test]
async fn only_the_instance_itself_is_reached() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    assert_eq!(refusal(session.tcp(Address::Loopback, 7002).await), Refusal::NotListening);
    for outside in ["10.0.0.1", "169.254.169.254", "::2"] {
        assert_eq!(refusal(session.tcp(Address::Is(outside.parse().unwrap()), 80).await), Refusal::NotHere);
    }
    assert_eq!(refusal(session.unix(b"/tmp/nothing".to_vec()).await), Refusal::NotFound);
    let elsewhere = session.listen_tcp(Address::Is("192.0.2.1".parse().unwrap()), 0).await;
    assert_eq!(refusal(elsewhere), Refusal::NotHere);
}

#[tokio::test]
async fn connections_in_the_instance_are_handed_on() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let (listener, port) = session.listen_tcp(Address::Loopback, 0).await.unwrap();
    assert_eq!(refusal(session.listen_tcp(Address::Loopback, port).await), Refusal::InUse);
    for family in ["127.0.0.1", "::1"] {
        let client = session.shell(shell(&format!("echo from {family} | nc {family} {port}"))).await.unwrap();
        let (mut stream, peer) = timeout(LIMIT, listener.accept()).await.unwrap().unwrap();
        assert_eq!(peer.address.unwrap().0, family.parse::<std::net::IpAddr>().unwrap());
        let mut heard = String::new();
        let mut byte = [0];
        while !heard.ends_with('\n') {
            stream.read_exact(&mut byte).await.unwrap();
            heard.push(char::from(byte[0]));
        }
        assert_eq!(heard, format!("from {family}\n"));
        stream.write_all(b"and back\n").await.unwrap();
        drop(stream);
        assert_eq!(outcome(client).await.0, "and back\n");
    }
    drop(listener);
    until("it does not listen any more", || !root.sh("netstat -ltn").contains(&format!(":{port} "))).await;
}

#[tokio::test]
async fn unix_sockets_belong_to_their_user_and_are_removed() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let path = b"/tmp/a socket".to_vec();
    let listener = session.listen_unix(path.clone(), false).await.unwrap();
    assert!(said(&session, "ls -l '/tmp/a socket'").await.0.starts_with("srw-------"));
    assert_eq!(refusal(session.listen_unix(path.clone(), false).await), Refusal::InUse);
    let mut near = session.unix(path.clone()).await.unwrap();
    let (mut far, peer) = listener.accept().await.unwrap();
    assert_eq!(peer.address, None);
    near.write_all(b"x").await.unwrap();
    assert_eq!(far.read_u8().await.unwrap(), b'x');
    drop(listener);
    until("it is removed", || !root.path("/tmp/a socket").exists()).await;
    // Connections outlive it.
    far.write_all(b"y").await.unwrap();
    assert_eq!(near.read_u8().await.unwrap(), b'y');

    std::fs::write(root.path("/tmp/a file"), "precious").unwrap();
    let instead = session.listen_unix(b"/tmp/a file".to_vec(), true).await;
    assert_eq!(refusal(instead), Refusal::InUse);
    assert_eq!(std::fs::read_to_string(root.path("/tmp/a file")).unwrap(), "precious");
}

#[tokio::test]
async fn an_agents_socket_is_in_a_folder_of_its_own() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let (agent, path) = session.listen_agent().await.unwrap();
    let path = String::from_utf8(path).unwrap();
    let folder = path.strip_suffix("/agent").unwrap();
    assert!(said(&session, &format!("ls -ld {folder}")).await.0.starts_with("drwx------"));
    drop(agent);
    until("it is removed", || !root.path(folder).exists()).await;
}

#[tokio::test]
async fn twenty_channels_of_one_connection_carry_at_once() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let _server = server(&root, &session, 7003, "cat").await;
    let data: Vec<u8> = (0..1_000_000_u32).map(|at| (at % 251) as u8).collect();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let (stream, data) = (session.tcp(Address::Loopback, 7003).await.unwrap(), data.clone());
        tasks.push(tokio::spawn(async move {
            let (mut incoming, mut outgoing) = stream.into_halves();
            let mut back = Vec::new();
            let send = async {
                outgoing.write_all(&data).await.unwrap();
                outgoing.shutdown().await.unwrap();
            };
            let (read, ()) = tokio::join!(incoming.read_to_end(&mut back), send);
            read.unwrap();
            assert!(back == data);
        }));
    }
    for task in tasks {
        timeout(Duration::from_secs(60), task).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_closed_on_the_other_side() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut server = session.shell(shell("nc -l -p 7004; echo over")).await.unwrap();
    until("it listens", || root.sh("netstat -ltn").contains(":7004 ")).await;
    drop(session.tcp(Address::Loopback, 7004).await.unwrap());
    server.stdin.shutdown().await.unwrap();
    shows(&mut server.stdout, "over\n").await;
    assert_eq!(timeout(LIMIT, server.control.exit()).await.unwrap(), Some(Exit::Code(0)));
}
