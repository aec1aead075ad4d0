//! How often a share's password may be guessed.

use std::net::IpAddr;
use std::num::NonZeroU32;

use disk_core::error::{DiskError, DiskResult};
use http_kit::Throttle;

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

/// Counts all tries, right or wrong, because each costs a password hash.
#[derive(Debug)]
pub(super) struct Limits {
    pair: Throttle<(String, IpAddr)>,
    share: Throttle<String>,
    address: Throttle<IpAddr>,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            pair: Throttle::per_minute(PER_SHARE_AND_ADDRESS),
            share: Throttle::per_minute(PER_SHARE),
            address: Throttle::per_minute(PER_ADDRESS),
        }
    }

    /// Spends one attempt; 429 when none is left.
    pub(super) fn check(&self, hash: &str, address: IpAddr) -> DiskResult<()> {
        let checked = self
            .address
            .check(&address)
            .and_then(|()| self.pair.check(&(hash.to_owned(), address)))
            .and_then(|()| self.share.check(&hash.to_owned()));
        checked.map_err(DiskError::TooManyRequests)
    }
}
