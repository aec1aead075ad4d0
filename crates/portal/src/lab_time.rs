//! The lab's time, +08:00, in which people read days and moments. China has one time zone, without daylight saving time.

use std::time::Duration;

use kernel::Timestamp;

/// How far the lab's clocks are ahead of UTC, in milliseconds.
pub(crate) const EAST_OF_UTC_MS: i64 = 8 * 3600 * 1000;

/// A moment for people, to the minute: `北京时间 2026-11-20 18:00`.
pub(crate) fn in_words(at: Timestamp) -> String {
    let shown: String = local(at).chars().take("2026-11-20T18:00".len()).collect();
    format!("北京时间 {}", shown.replace('T', " "))
}

/// The same without the year: `11-20 18:00`.
pub(crate) fn day_and_minute(at: Timestamp) -> String {
    local(at).get(5..16).unwrap_or_default().replace('T', " ")
}

/// The lab's date and time, as in `2026-11-20T18:00:00.000Z`, though it is not UTC.
fn local(at: Timestamp) -> String {
    at.plus(Duration::from_millis(EAST_OF_UTC_MS.unsigned_abs())).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_here_read_them() {
        let at = Timestamp::from_millis(1_795_168_800_000);
        assert_eq!(in_words(at), "北京时间 2026-11-20 18:00");
        assert_eq!(day_and_minute(at), "11-20 18:00");
    }
}
