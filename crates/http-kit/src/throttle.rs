//! How often something may be tried.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// After this many checks, keys with a full budget are dropped, so that a stranger cannot fill the memory with keys.
const CHECKS_BETWEEN_SWEEPS: u32 = 1024;

/// A budget of tries for each key, refilled evenly.
#[derive(Debug)]
pub struct Throttle<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    checks: AtomicU32,
}

impl<K: Hash + Eq + Clone> Throttle<K> {
    /// `tries` at once, and as many again in each minute.
    #[must_use]
    pub fn per_minute(tries: NonZeroU32) -> Self {
        Self {
            limiter: RateLimiter::keyed(Quota::per_minute(tries)),
            clock: DefaultClock::default(),
            checks: AtomicU32::new(0),
        }
    }

    /// Creates a throttle with a burst of `tries` that refills within an hour.
    #[must_use]
    pub fn per_hour(tries: NonZeroU32) -> Self {
        Self { limiter: RateLimiter::keyed(Quota::per_hour(tries)), ..Self::per_minute(tries) }
    }

    /// Spends one attempt.
    ///
    /// # Errors
    /// The wait until the next attempt, when none is left.
    pub fn check(&self, key: &K) -> Result<(), Duration> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % CHECKS_BETWEEN_SWEEPS == CHECKS_BETWEEN_SWEEPS - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(key).map_err(|refused| refused.wait_time_from(self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_runs_out_and_the_other_does_not() {
        let throttle = Throttle::per_minute(NonZeroU32::new(2).unwrap());
        assert!(throttle.check(&"ann").is_ok() && throttle.check(&"ann").is_ok());
        let wait = throttle.check(&"ann").unwrap_err();
        assert!(wait > Duration::ZERO && wait <= Duration::from_secs(30), "{wait:?}");
        assert!(throttle.check(&"bob").is_ok());
    }
}
