//! How far the clock is wrong, in words; pure.

use kernel::Timestamp;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How far the wall clock of a machine lies from the portal's time.
pub(super) fn difference(wall: Timestamp, portal: Timestamp, host: &str) -> String {
    let ahead = wall.as_millis() - portal.as_millis();
    let size = match ahead.abs() {
        size if size >= DAY => format!("{} 天", size / DAY),
        size if size >= HOUR => format!("{} 小时", size / HOUR),
        size if size >= MINUTE => format!("{} 分钟", size / MINUTE),
        _ => return format!("{host} 的系统时间与平台时间一致"),
    };
    let direction = if ahead > 0 { "快" } else { "慢" };
    format!("{host} 的系统时间比平台时间{direction} {size}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(40 * DAY + HOUR, "gpu01 的系统时间比平台时间快 40 天")]
    #[case(-2 * DAY, "gpu01 的系统时间比平台时间慢 2 天")]
    #[case(90 * MINUTE, "gpu01 的系统时间比平台时间快 1 小时")]
    #[case(500, "gpu01 的系统时间与平台时间一致")]
    fn a_difference_is_told_in_its_largest_unit(#[case] ahead: i64, #[case] words: &str) {
        let portal = Timestamp::from_millis(1_795_168_800_000);
        let wall = Timestamp::from_millis(portal.as_millis() + ahead);
        assert_eq!(difference(wall, portal, "gpu01"), words);
    }
}
