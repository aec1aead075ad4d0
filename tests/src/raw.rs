//! Raw bytes on a socket, for requests that no HTTP library sends.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The response.
#[derive(Clone, Debug)]
pub struct RawAnswer {
    /// The status of the first response; `None` when the connection ended without one.
    pub status: Option<u16>,
    /// All received bytes, as text.
    pub text: String,
    /// Whether the server closed the connection.
    pub closed: bool,
}

/// Sends bytes and reads until the server closes the connection, or until `limit` is over.
///
/// # Panics
/// When the server can't be reached.
pub async fn exchange(address: SocketAddr, bytes: &[u8], limit: Duration) -> RawAnswer {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    // A server that has refused already may have closed its side.
    let _ = stream.write_all(bytes).await;
    let mut received = Vec::new();
    let read = timeout(limit, async {
        let mut buffer = vec![0_u8; 16 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            received.extend_from_slice(&buffer[..count]);
        }
    });
    let closed = read.await.is_ok();
    let text = String::from_utf8_lossy(&received).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    RawAnswer { status, text, closed }
}
