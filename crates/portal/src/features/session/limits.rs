//! How often one may try to sign in.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use http_kit::Throttle;

const fn tries(n: u32) -> NonZeroU32 {
    match NonZeroU32::new(n) {
        Some(n) => n,
        None => NonZeroU32::MIN,
    }
}

/// One person at one address; wide enough for typing errors.
const PER_ACCOUNT_AND_ADDRESS: NonZeroU32 = tries(10);
/// One account from everywhere: slows a botnet, yet a stranger can't easily lock its owner out.
const PER_ACCOUNT: NonZeroU32 = tries(60);
/// One address for all accounts; a lab often shares one.
const PER_ADDRESS: NonZeroU32 = tries(120);

/// Counts all tries, successful or not, because each costs a password hash.
#[derive(Debug)]
pub(crate) struct LoginLimits {
    pair: Throttle<(String, IpAddr)>,
    account: Throttle<String>,
    address: Throttle<IpAddr>,
}

impl LoginLimits {
    pub(crate) fn new() -> Self {
        Self {
            pair: Throttle::per_minute(PER_ACCOUNT_AND_ADDRESS),
            account: Throttle::per_minute(PER_ACCOUNT),
            address: Throttle::per_minute(PER_ADDRESS),
        }
    }

    /// Spends one try; the wait when there is none left. `account` is the name in lower case.
    pub(crate) fn check(&self, account: &str, address: IpAddr) -> Result<(), Duration> {
        self.address.check(&address)?;
        self.pair.check(&(account.to_owned(), address))?;
        self.account.check(&account.to_owned())
    }
}
