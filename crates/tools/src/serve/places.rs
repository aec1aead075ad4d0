//! Addresses of the instance itself, and the refusals for errors of the system.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tools::wire::{Address, Refusal, Refused};

/// Where a port on the loopback interface can be.
///
/// # Errors
/// An address that is not on it.
pub(super) fn loopback(address: Address, port: u16) -> Result<Vec<SocketAddr>, Refused> {
    match address {
        Address::Loopback => Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]),
        Address::Is(address) if address.to_canonical().is_loopback() => Ok(vec![(address, port).into()]),
        Address::Any | Address::Is(_) => Err(Refusal::NotHere.into()),
    }
}

/// Where to listen: the addresses that are all wanted, and those to take if the first is not possible.
pub(super) fn listening(address: Address) -> (Vec<IpAddr>, Vec<IpAddr>) {
    let (four, six) = (IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED));
    match address {
        Address::Loopback => (vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()], Vec::new()),
        // Takes both families.
        Address::Any => (vec![six], vec![four]),
        Address::Is(address) => (vec![address], Vec::new()),
    }
}

/// An error of the system.
pub(super) fn refused(error: &io::Error) -> Refused {
    let refusal = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::NotFound,
        io::ErrorKind::PermissionDenied => Refusal::Denied,
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset => Refusal::NotListening,
        io::ErrorKind::AddrInUse | io::ErrorKind::AlreadyExists => Refusal::InUse,
        io::ErrorKind::AddrNotAvailable => Refusal::NotHere,
        io::ErrorKind::TimedOut => Refusal::TimedOut,
        _ => Refusal::Failed,
    };
    let errno = error.raw_os_error().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    Refused { refusal, errno }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_instance_itself_is_reached() {
        assert_eq!(loopback(Address::Loopback, 80).unwrap().len(), 2);
        for inside in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            assert!(loopback(Address::Is(inside.parse().unwrap()), 80).is_ok(), "{inside}");
        }
        for outside in ["10.0.0.1", "0.0.0.0", "::", "169.254.169.254", "fe80::1", "::ffff:10.0.0.1"] {
            let refused = loopback(Address::Is(outside.parse().unwrap()), 80).unwrap_err();
            assert_eq!(refused.refusal, Refusal::NotHere, "{outside}");
        }
        assert!(loopback(Address::Any, 80).is_err());
    }
}
