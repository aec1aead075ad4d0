//! The machine's own two clocks.

use std::time::Duration;

use kernel::guarded_clock::TimeSource;
use kernel::{Clock, SystemClock, Timestamp};

/// The wall clock, and the time since the machine's boot, which cannot be set and which counts while the machine is
/// suspended.
#[derive(Clone, Copy, Debug)]
pub struct MachineClocks;

impl TimeSource for MachineClocks {
    fn wall(&self) -> Timestamp {
        SystemClock.now()
    }

    fn steady(&self) -> Duration {
        let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        // Never before the boot.
        let seconds = u64::try_from(since.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(since.tv_nsec).unwrap_or_default())
    }
}
