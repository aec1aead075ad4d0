//! D5: strangers' connections keep no user out.

use std::fs::{self, Permissions};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use futures_util::future::join_all;
use tests::{Client, Server, Setup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// A connection from one of the loopback's addresses.
pub(crate) async fn connect(server: &Server, from: IpAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::new(from, 0)).expect("an address of the loopback");
    socket.connect(server.address()).await.expect("the kernel takes the connection")
}

/// Sends a request on an open connection; the status, or `None` when the server has hung up.
async fn ask(stream: &mut TcpStream, path: &str, headers: &str) -> Option<u16> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: lab\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    let whole = async {
        loop {
            let count = stream.read(&mut buffer).await.ok()?;
            answer.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&answer);
            let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if count == 0 || length.is_some_and(|length: usize| body.len() >= length) {
                return text.split(' ').nth(1)?.parse().ok();
            }
        }
    };
    timeout(Duration::from_secs(20), whole).await.expect("an answer or the end")
}

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub(crate) fn other(n: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, n).into()
}

#[tokio::test]
async fn idle_strangers_of_one_address_push_each_other_out() {
    let server = Server::start(Setup::new().with("YUNLAB_GUEST_CONNECTIONS", "16")).await;
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(connect(&server, other(7)).await);
    }
    // Clients from there get in, and all others anyway.
    assert_eq!(ask(&mut connect(&server, other(7)).await, "/health", "").await, Some(200));
    assert_eq!(ask(&mut connect(&server, HERE).await, "/health", "").await, Some(200));
    let answers = join_all(idle.iter_mut().map(|stream| ask(stream, "/health", ""))).await;
    let left = answers.iter().flatten().count();
    assert!((1..=16).contains(&left), "{left} are left");
    assert!(answers[..100].iter().all(Option::is_none), "the oldest went first");
}

/// A server that is started under these limits of descriptors, soft and hard.
fn limited(limits: &str) -> Setup {
    let setup = Setup::new();
    let program = setup.dir().join("few-descriptors");
    let script = format!("#!/bin/sh\nexec prlimit --nofile={limits} {} \"$@\"\n", setup.program().display());
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("its mode");
    setup.with_program(program)
}

/// The usual soft limit is far below the hard one.
#[tokio::test]
async fn the_soft_limit_of_descriptors_is_raised_to_the_hard_one() {
    for (limits, raised) in [("256:4096", ["4096", "4096"]), ("256:256", ["256", "256"])] {
        let server = Server::start(limited(limits)).await;
        let table = fs::read_to_string(format!("/proc/{}/limits", server.process())).expect("the process's limits");
        let line = table.lines().find_map(|line| line.strip_prefix("Max open files")).expect("open files");
        assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), raised, "{limits}");
    }
}

/// Under a limit of descriptors that cannot be raised.
#[tokio::test]
async fn strangers_of_many_addresses_leave_descriptors_for_everybody_else() {
    let server = Server::start(limited("256:256")).await;
    let admin = server.admin().await;
    let mut idle = Vec::new();
    for round in 0..40 {
        for n in 10..50 {
            idle.push(connect(&server, other(n)).await);
        }
        if round % 10 == 9 {
            server.sign_in("admin", tests::ADMIN_PASSWORD).await.get("/api/users").await.is(200);
            admin.upload("/share/a.txt", "hello").await.is(200);
            assert_eq!(ask(&mut connect(&server, other(60)).await, "/", "").await, Some(200));
        }
    }
}

/// A campus of 500 users behind one address: signed-in users do not count.
#[tokio::test]
async fn people_behind_one_address_are_not_strangers() {
    let server = Server::start(Setup::new().with("YUNLAB_GUEST_CONNECTIONS", "32")).await;
    campus(&server, &server.admin().await, "").await;
}

#[tokio::test]
async fn people_behind_one_address_and_a_proxy_are_not_strangers() {
    let setup = Setup::new().with("YUNLAB_GUEST_CONNECTIONS", "8").with("YUNLAB_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = Server::start(setup).await;
    campus(&server, &server.admin().await, "X-Forwarded-For: 203.0.113.9\r\n").await;

    // Endless requests of strangers from one address: it has a limit, and other addresses are not affected.
    let from = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let health = async |headers: &str| ask(&mut connect(&server, HERE).await, "/health", headers).await;
    let full = async |headers: &str| {
        tests::until("the address to be full", Duration::from_secs(10), async || {
            (health(headers).await == Some(503)).then_some(())
        })
        .await;
    };
    let stranger = from("198.51.100.1");
    let _held = hold_sign_ins(&server, &stranger).await;
    full(&stranger).await;
    assert_eq!(health(&from("198.51.100.2")).await, Some(200));
    let token = format!("Authorization: Bearer {}\r\n{stranger}", server.admin().await.token());
    assert_eq!(ask(&mut connect(&server, HERE).await, "/api/users/public", &token).await, Some(200));

    // Nor is there another way for those who only claim to be signed in.
    let liar = format!("Authorization: Bearer x\r\n{}", from("198.51.100.3"));
    let _held_too = hold_sign_ins(&server, &liar).await;
    full(&liar).await;
    let honest = format!("Authorization: Bearer {}\r\n{}", server.admin().await.token(), from("198.51.100.4"));
    assert_eq!(ask(&mut connect(&server, HERE).await, "/api/users/public", &honest).await, Some(200));
}

/// Begins eight sign-ins whose bodies don't end.
async fn hold_sign_ins(server: &Server, headers: &str) -> Vec<TcpStream> {
    let slow = format!(
        "POST /api/auth HTTP/1.1\r\nHost: lab\r\n{headers}Content-Type: application/json\r\n\
             Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    );
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut stream = connect(server, HERE).await;
        stream.write_all(slow.as_bytes()).await.expect("sent");
        // Until its request has begun, a connection is idle and may be closed for another.
        let mut asked = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
        stream.read_exact(&mut asked).await.expect("the server asks for the body");
        assert_eq!(asked.as_slice(), b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(b"{").await.expect("sent");
        held.push(stream);
    }
    held
}

async fn campus(server: &Server, person: &Client, forwarded: &str) {
    let headers = format!("Authorization: Bearer {}\r\n{forwarded}", person.token());
    let mut people = Vec::new();
    for _ in 0..500 {
        let mut stream = connect(server, HERE).await;
        assert_eq!(ask(&mut stream, "/api/users/public", &headers).await, Some(200));
        people.push(stream);
    }
    // A stranger among them gets a connection, and displaces no user.
    for _ in 0..50 {
        assert_eq!(ask(&mut connect(server, HERE).await, "/health", forwarded).await, Some(200));
    }
    let again = join_all(people.iter_mut().map(|stream| ask(stream, "/api/users/public", &headers))).await;
    let lost: Vec<_> = again.iter().enumerate().filter(|(_, status)| **status != Some(200)).collect();
    assert_eq!(lost, [], "all 500 are still connected");
}
