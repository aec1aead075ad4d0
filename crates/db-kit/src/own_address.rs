//! Which addresses are this machine's own.

use std::net::{IpAddr, UdpSocket};

/// Whether an address is this machine's: only the machine itself can listen on it. Where the system lets processes
/// listen on any address (`ip_nonlocal_bind`), every address counts as its own.
#[must_use]
pub fn is_own_address(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_here_or_elsewhere() {
        let is_own = |address: &str| is_own_address(address.parse().unwrap());
        for own in ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "0.0.0.0"] {
            assert!(is_own(own), "{own}");
        }
        // Reserved for documentation.
        for elsewhere in ["192.0.2.17", "2001:db8::17"] {
            assert!(!is_own(elsewhere), "{elsewhere}");
        }
    }
}
