//! Lifetimes of sessions and sign-ins. No I/O.

use std::time::Duration;

use kernel::Timestamp;

use crate::features::settings::Settings;

/// The precision of `last_used`: not every request writes to the database.
pub(super) const USE_NOTED_EVERY: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The lifetimes that the settings allow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifetimes {
    /// Lifetime of one session, which is one token.
    session: Duration,
    /// Of a sign-in with all its renewals.
    sign_in: Duration,
    /// Time without a request after which a sign-in ends; `None` if idle sign-ins do not end.
    idle: Option<Duration>,
}

impl Lifetimes {
    pub(super) fn of(settings: &Settings) -> Self {
        let local = settings.authentication.local;
        Self {
            session: Duration::from_secs(u64::from(local.session_hours) * 3600),
            sign_in: DAY * u32::from(local.sign_in_days),
            idle: (local.idle_minutes > 0).then(|| Duration::from_secs(u64::from(local.idle_minutes) * 60)),
        }
    }

    /// Returns when a session that begins now expires.
    pub(super) fn session_ends(self, sign_in_began: Timestamp, now: Timestamp) -> Timestamp {
        now.plus(self.session).min(sign_in_began.plus(self.sign_in))
    }

    /// Returns the time before which an unused sign-in counts as idle for too long.
    pub(super) fn used_after(self, now: Timestamp) -> Timestamp {
        self.idle.map_or(Timestamp::from_millis(i64::MIN), |idle| now.minus(idle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const START: Timestamp = Timestamp::from_millis(1_000_000);

    #[test]
    fn a_renewal_never_outlasts_the_sign_in() {
        let lifetimes = Lifetimes { session: HOUR * 24, sign_in: DAY * 30, idle: None };
        assert_eq!(lifetimes.session_ends(START, START), START.plus(DAY));
        assert_eq!(lifetimes.session_ends(START, START.plus(DAY * 29 + HOUR)), START.plus(DAY * 30));
        assert_eq!(lifetimes.session_ends(START, START.plus(DAY * 29)), START.plus(DAY * 30));
    }

    #[test]
    fn idle_time_counts_where_it_is_set() {
        let none = Lifetimes { session: HOUR, sign_in: DAY, idle: None };
        assert!(START.minus(DAY * 1000) > none.used_after(START));
        let hour = Lifetimes { idle: Some(HOUR), ..none };
        assert_eq!(hour.used_after(START), START.minus(HOUR));
    }
}
