//! Clients that mean no good.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::House;
use crate::root::Content;

#[tokio::test]
async fn strangers_that_stay_shut_nobody_out() {
    let house = House::new(Content::Busybox).await;
    let mut flood = Vec::new();
    for _ in 0..200 {
        flood.push(TcpStream::connect(house.address).await.unwrap());
    }
    assert_eq!(house.run(&["echo in"]).await.good(), "in\n");
    // The oldest gave way.
    let mut greeting = Vec::new();
    timeout(Duration::from_secs(20), flood[0].read_to_end(&mut greeting)).await.expect("closed").unwrap_or_default();
}

#[tokio::test]
async fn garbage_ends_its_connection_alone() {
    let house = House::new(Content::Busybox).await;
    for garbage in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0; 100_000], b"SSH-2.0-x\r\n\xff\xff\xff\xff\xff\xff"]
    {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let _ = stream.write_all(garbage).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await.expect("closed");
    }
    assert_eq!(house.run(&["echo in"]).await.good(), "in\n");
}
