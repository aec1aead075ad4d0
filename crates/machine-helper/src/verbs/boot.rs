//! Which boot this is. Needs no right at all: every container sees it.

use std::fs;

use machine_helper::{Answer, Boot, Refusal};
use rustix::time::{ClockId, Timespec, clock_gettime};

pub(super) fn read() -> Result<Answer, Refusal> {
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let boot_id = boot_id.trim().parse().map_err(|_| Refusal::NotSupported)?;
    let uptime_ms = uptime(&fs::read_to_string("/proc/uptime")?).ok_or(Refusal::NotSupported)?;
    Ok(Answer::Boot(Boot { boot_id, uptime_ms, wall_ms: wall_ms() }))
}

/// Milliseconds from the kernel's `seconds.hundredths idle`.
fn uptime(text: &str) -> Option<u64> {
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()?.saturating_mul(1000) + hundredths.parse::<u64>().ok()?.min(99) * 10)
}

/// Milliseconds since 1970.
pub(super) fn wall_ms() -> i64 {
    milliseconds(clock_gettime(ClockId::Realtime))
}

/// Milliseconds since the boot, as the kernel's log counts them.
pub(super) fn log_clock_ms() -> u64 {
    u64::try_from(milliseconds(clock_gettime(ClockId::Monotonic))).unwrap_or_default()
}

fn milliseconds(time: Timespec) -> i64 {
    time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uptime_is_read_to_the_hundredth() {
        assert_eq!(uptime("350735.47 234388.90\n"), Some(350_735_470));
        assert_eq!(uptime("0.05 0.00"), Some(50));
        assert_eq!(uptime("soon"), None);
    }

    #[test]
    fn this_machine_has_booted() {
        let Ok(Answer::Boot(boot)) = read() else { panic!("no boot") };
        assert!(boot.uptime_ms > 0 && boot.wall_ms > 1_700_000_000_000, "{boot:?}");
    }
}
