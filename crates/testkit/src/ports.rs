//! Ports for programs that tests start.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Above the ports that Linux assigns to sockets bound to port 0 (`ip_local_port_range`). One of those could be in use
/// again by the time that the program listens on it.
const FIRST: u32 = 61_000;
const COUNT: u32 = 4_500;

/// Different ports of loopback for TCP and UDP, which nothing else in this process gets, and which are free now.
///
/// # Panics
/// When there are none.
#[must_use]
pub fn free_ports<const N: usize>() -> [u16; N] {
    std::array::from_fn(|_| (0..COUNT).find_map(|_| next()).expect("a free port"))
}

/// The next port, if it is free.
fn next() -> Option<u16> {
    // Processes begin at different places, so that two seldom try the same port at once.
    static NEXT: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(std::process::id().wrapping_mul(101)));
    let port = FIRST + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
    let address = (Ipv4Addr::LOCALHOST, u16::try_from(port).expect("a port"));
    let _tcp = TcpListener::bind(address).ok()?;
    let _udp = UdpSocket::bind(address).ok()?;
    Some(address.1)
}
