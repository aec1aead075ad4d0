//! The count of one space. Pure.

use std::time::{Duration, Instant};

use kernel::Timestamp;

/// A count is renewed in the background on a query when it is older than this multiple of the time that counting takes,
/// within these bounds.
const TIMES_COUNTING: u32 = 100;
const STALE_AT_LEAST: Duration = Duration::from_secs(5);
const STALE_AT_MOST: Duration = Duration::from_secs(10 * 60);
/// After a count at full speed that a request waited for, no other follows for this multiple of its duration: one
/// twentieth of the time.
const RESTS_TIMES: u32 = 19;
/// A faster count is always allowed.
const NO_REST_BELOW: Duration = Duration::from_millis(50);

/// One space's count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    pub(super) used: u64,
    /// Promised to changes under way.
    pub(super) reserved: u64,
    pub(super) counted: Option<Timestamp>,
    /// CPU time that the last count took.
    pub(super) took: Duration,
    /// When it was last counted at full speed, and the CPU time that this took.
    pub(super) at_once: Option<(Instant, Duration)>,
    /// Bytes that the disk itself has added and freed since the start.
    pub(super) net: i64,
    /// How often it was forgotten.
    pub(super) forgotten: u64,
}

impl State {
    pub(super) fn is_stale(&self, now: Timestamp) -> bool {
        let fresh_for = (self.took * TIMES_COUNTING).clamp(STALE_AT_LEAST, STALE_AT_MOST);
        self.counted.is_some_and(|at| at.plus(fresh_for) < now)
    }

    /// Whether a count at full speed must still wait. Never for an unknown space.
    pub(super) fn rests(&self, now: Instant) -> bool {
        let last = self.at_once.filter(|(_, took)| self.counted.is_some() && *took >= NO_REST_BELOW);
        last.is_some_and(|(at, took)| now.saturating_duration_since(at) < took * RESTS_TIMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_at_full_speed_takes_one_twentieth_of_the_time() {
        let (begun, minute) = (Instant::now(), Duration::from_secs(60));
        let after = |seconds: u64| begun + Duration::from_secs(seconds);
        let known = State { counted: Some(Timestamp::from_millis(1)), took: minute, ..State::default() };
        assert!(!known.rests(begun), "a count at a pace keeps nobody from one at once");
        let counted = State { at_once: Some((begun, minute)), ..known };
        assert!(counted.rests(begun) && counted.rests(after(1139)));
        assert!(!counted.rests(after(1140)));
        assert!(!State { counted: None, ..counted }.rests(after(1)), "nothing is known");
        let small = State { at_once: Some((begun, Duration::from_millis(1))), ..known };
        assert!(!small.rests(begun));
    }
}
