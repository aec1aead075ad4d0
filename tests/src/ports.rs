//! Ports for programs that tests start.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};

/// Different currently free ports of loopback, for TCP and UDP.
///
/// # Panics
/// When there are none.
#[must_use]
pub fn free_ports<const N: usize>() -> [u16; N] {
    // All are held until the last is found, so that none is found twice.
    let held: [_; N] = std::array::from_fn(|_| {
        loop {
            let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
            let port = tcp.local_addr().expect("its address").port();
            if let Ok(udp) = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)) {
                return (port, tcp, udp);
            }
        }
    });
    held.map(|(port, ..)| port)
}
