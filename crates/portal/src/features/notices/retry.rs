//! When a delivery that failed is tried again, the same for every channel; pure.

use std::time::Duration;

use kernel::Timestamp;

/// With the delays of [`next_try`] a delivery is tried for about a day.
const MOST_TRIES: u32 = 15;
const FIRST_DELAY: Duration = Duration::from_secs(30);
const LONGEST_DELAY: Duration = Duration::from_secs(4 * 3600);

/// The time of the next try after this number of failures, the last one just now; `None`: it is given up.
pub(super) fn next_try(failed: u32, now: Timestamp) -> Option<Timestamp> {
    let doubled = FIRST_DELAY.saturating_mul(1 << failed.saturating_sub(1).min(20));
    (failed < MOST_TRIES).then(|| now.plus(doubled.min(LONGEST_DELAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_tried_for_about_a_day() {
        let start = Timestamp::from_millis(0);
        let (mut now, mut failed) = (start, 1);
        while let Some(next) = next_try(failed, now) {
            assert!(next > now && next <= now.plus(LONGEST_DELAY));
            (now, failed) = (next, failed + 1);
        }
        let hours = now.as_seconds() / 3600;
        assert_eq!((failed, hours), (MOST_TRIES, 24));
        assert_eq!(next_try(u32::MAX, now), None);
    }
}
