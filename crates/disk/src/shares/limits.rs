//! How often a share's password may be guessed, and how often files may be sent.

use std::net::IpAddr;
use std::num::NonZeroU32;

use disk_core::error::{DiskError, DiskResult};
use http_kit::{Throttle, network_of};

const fn tries(n: u32) -> NonZeroU32 {
    match NonZeroU32::new(n) {
        Some(n) => n,
        None => NonZeroU32::MIN,
    }
}

/// For one visitor of one share; wide enough for typing errors.
const PER_SHARE_AND_ADDRESS: NonZeroU32 = tries(10);
/// For one share from everywhere: slows a botnet, yet a stranger cannot easily lock others out.
const PER_SHARE: NonZeroU32 = tries(60);
/// For one address and all shares; a lab often shares one address.
const PER_ADDRESS: NonZeroU32 = tries(120);
/// Files that one network may send to one link in a minute; a lab often shares one address.
const UPLOADS_PER_SHARE_AND_ADDRESS: NonZeroU32 = tries(600);
/// Files that may be sent to one link in a minute.
const UPLOADS_PER_SHARE: NonZeroU32 = tries(3000);

/// Counts all tries of a password, right or wrong, because each costs a hash. An address is its network ([`network_of`]).
#[derive(Debug)]
pub(super) struct Limits {
    pair: Throttle<(String, IpAddr)>,
    share: Throttle<String>,
    address: Throttle<IpAddr>,
    uploads_by_pair: Throttle<(String, IpAddr)>,
    uploads: Throttle<String>,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            pair: Throttle::per_minute(PER_SHARE_AND_ADDRESS),
            share: Throttle::per_minute(PER_SHARE),
            address: Throttle::per_minute(PER_ADDRESS),
            uploads_by_pair: Throttle::per_minute(UPLOADS_PER_SHARE_AND_ADDRESS),
            uploads: Throttle::per_minute(UPLOADS_PER_SHARE),
        }
    }

    /// Spends one attempt; 429 when none is left.
    pub(super) fn check(&self, hash: &str, address: IpAddr) -> DiskResult<()> {
        let address = network_of(address);
        let checked = self
            .address
            .check(&address)
            .and_then(|()| self.pair.check(&(hash.to_owned(), address)))
            .and_then(|()| self.share.check(&hash.to_owned()));
        checked.map_err(DiskError::TooManyRequests)
    }

    /// Spends one file to be sent, accepted or not; 429 when none is left.
    pub(super) fn check_upload(&self, hash: &str, address: IpAddr) -> DiskResult<()> {
        let checked = self
            .uploads_by_pair
            .check(&(hash.to_owned(), network_of(address)))
            .and_then(|()| self.uploads.check(&hash.to_owned()));
        checked.map_err(DiskError::TooManyRequests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_with_many_ipv6_addresses_is_one_visitor() {
        let limits = Limits::new();
        let tried = |address: String| limits.check("a-share", address.parse().unwrap()).is_ok();
        let passed = (0..40).filter(|n| tried(format!("2001:db8:0:7::{n:x}"))).count();
        assert_eq!(passed, 10);
        assert!(tried("2001:db8:0:8::1".to_owned()) && tried("192.0.2.1".to_owned()));
        // Neighbours of IPv4 are other visitors.
        assert!((1..10).all(|n| tried(format!("192.0.2.{n}"))));
    }
}
