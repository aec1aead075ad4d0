//! Rate limits on sign-in attempts.
//!
//! Every attempt counts, successful or not, because each costs a password hash. An address or device that the account
//! has signed in from before has its own budget, which attempts from elsewhere cannot exhaust. All unknown places share
//! one budget per account: their attempts queue, and are refused once the queue is full.

use std::future::pending;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use http_kit::{Throttle, network_of};
use tokio::sync::Semaphore;

const fn tries(n: u32) -> NonZeroU32 {
    match NonZeroU32::new(n) {
        Some(n) => n,
        None => NonZeroU32::MIN,
    }
}

/// For one account at one known place; wide enough for typing errors.
const PER_ACCOUNT_AND_PLACE: NonZeroU32 = tries(10);
/// For one account from all unknown places together: slows a botnet.
const PER_ACCOUNT: NonZeroU32 = tries(60);
/// For one address and all accounts; a lab often shares one address.
const PER_ADDRESS: NonZeroU32 = tries(120);
/// The longest time an attempt waits in the queue.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The capacity of the queue, for all accounts together.
const MOST_WAITING: usize = 64;

/// The result of asking for one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The attempt may be made.
    Now,
    /// Unknown places have exhausted the account's budget; the attempt may be made after this time.
    After(Duration),
}

#[derive(Debug)]
pub(crate) struct LoginLimits {
    /// Keyed by account and known place.
    known: Throttle<(String, String)>,
    pair: Throttle<(String, IpAddr)>,
    account: Throttle<String>,
    address: Throttle<IpAddr>,
    waiting: Semaphore,
}

impl LoginLimits {
    pub(crate) fn new() -> Self {
        Self {
            known: Throttle::per_minute(PER_ACCOUNT_AND_PLACE),
            pair: Throttle::per_minute(PER_ACCOUNT_AND_PLACE),
            account: Throttle::per_minute(PER_ACCOUNT),
            address: Throttle::per_minute(PER_ADDRESS),
            waiting: Semaphore::new(MOST_WAITING),
        }
    }

    /// Spends one attempt of an account (in lower case) at a known place; returns the wait if the budget is exhausted.
    pub(super) fn at_home(&self, account: &str, place: &str) -> Result<(), Duration> {
        self.known.check(&(account.to_owned(), place.to_owned()))
    }

    /// Spends one attempt from an unknown place; returns the wait if the budget is exhausted.
    pub(super) fn abroad(&self, account: &str, address: IpAddr) -> Result<Turn, Duration> {
        let network = network_of(address);
        self.address.check(&network)?;
        self.pair.check(&(account.to_owned(), network))?;
        match self.account.check(&account.to_owned()) {
            Ok(()) => Ok(Turn::Now),
            Err(wait) if wait <= LONGEST_WAIT => Ok(Turn::After(wait)),
            Err(wait) => Err(wait),
        }
    }

    /// Queues for a later attempt and spends it; returns the remaining wait if the queue is full or another attempt was
    /// faster.
    pub(super) async fn wait(&self, account: &str, wait: Duration) -> Result<(), Duration> {
        let _seat = self.waiting.try_acquire().map_err(|_| wait)?;
        let _ = tokio::time::timeout(wait, pending::<()>()).await;
        self.account.check(&account.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn strangers_use_up_nothing_of_a_known_place() {
        let limits = LoginLimits::new();
        for n in 0..60 {
            assert_eq!(limits.abroad("ann", address(&format!("10.0.{n}.1"))), Ok(Turn::Now));
        }
        assert!(matches!(limits.abroad("ann", address("10.9.9.9")), Ok(Turn::After(_))));
        assert!(limits.at_home("ann", "device:1").is_ok());
        for _ in 0..9 {
            limits.at_home("ann", "device:1").unwrap();
        }
        assert!(limits.at_home("ann", "device:1").is_err());
        assert!(limits.at_home("ann", "device:2").is_ok());
    }

    #[test]
    fn addresses_of_one_customer_are_one() {
        let limits = LoginLimits::new();
        for n in 0..120 {
            assert!(limits.abroad(&format!("user{n}"), address(&format!("2001:db8::{n:x}"))).is_ok());
        }
        assert!(limits.abroad("next", address("2001:db8::ffff")).is_err());
        assert!(limits.abroad("next", address("2001:db8:0:1::1")).is_ok());
    }

    #[tokio::test]
    async fn no_more_than_so_many_wait() {
        let limits = LoginLimits::new();
        let waits = (0..MOST_WAITING + 6).map(|_| limits.wait("ann", Duration::from_millis(1)));
        let came = futures_util::future::join_all(waits).await;
        assert_eq!(came.iter().filter(|turn| turn.is_err()).count(), 6 + MOST_WAITING - 60);
    }
}
