//! Which addresses are this machine's own.

use std::net::{IpAddr, UdpSocket};

/// Whether an address leads to this machine: only the machine itself can listen there. Where the system lets processes
/// listen on any address (`ip_nonlocal_bind`), every address counts as its own.
#[must_use]
pub fn is_own_address(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("127.0.0.1", true)]
    #[case("127.8.9.1", true)]
    #[case("::1", true)]
    #[case("::ffff:127.0.0.1", true)]
    #[case("0.0.0.0", true)]
    // For documentation only: nobody's.
    #[case("192.0.2.17", false)]
    #[case("2001:db8::17", false)]
    fn an_address_is_here_or_elsewhere(#[case] address: &str, #[case] own: bool) {
        assert_eq!(is_own_address(address.parse().unwrap()), own);
    }
}
