//! Limits background work to a part of one core.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The share of a core, in percent, for counting all accounts in turn, and for counts on request: together no more than
/// 5.
pub const ROUNDS_PERCENT: u32 = 4;
pub(super) const ASKED_PERCENT: u32 = 1;

/// Work between two pauses.
const SLICE: Duration = Duration::from_millis(10);
/// Steps between two readings of the clock.
const STEPS: u32 = 64;
/// A longer sleep would delay the end of the process.
const NAP: Duration = Duration::from_millis(100);

/// Pauses a thread in proportion to the CPU time that it has taken.
#[derive(Debug)]
pub struct Pace {
    percent: u32,
    steps: u32,
    /// The thread's CPU time at the last reading.
    mark: Duration,
    /// Work since the last pause.
    unpaid: Duration,
    /// Work since [`Pace::begin`].
    spent: Duration,
}

impl Pace {
    /// Work takes this part of a core, in percent.
    pub fn new(percent: u32) -> Self {
        Self { percent, steps: 0, mark: Duration::ZERO, unpaid: Duration::ZERO, spent: Duration::ZERO }
    }

    /// Begins a piece of work, possibly on another thread than the last one.
    pub fn begin(&mut self) {
        (self.mark, self.spent) = (thread_time(), Duration::ZERO);
    }

    /// Ends it. Returns the CPU time that it took.
    pub(super) fn end(&mut self) -> Duration {
        self.look();
        self.spent
    }

    fn look(&mut self) {
        let now = thread_time();
        let since = now.saturating_sub(self.mark);
        self.mark = now;
        self.unpaid += since;
        self.spent += since;
    }

    /// Adds time that another process worked for this.
    pub fn add(&mut self, work: Duration) {
        self.unpaid += work;
        self.spent += work;
    }

    /// Counts one step of the work. Sleeps when it is due, but not once `stop` is set.
    pub fn step(&mut self, stop: &AtomicBool) {
        self.steps = (self.steps + 1) % STEPS;
        if self.steps != 0 {
            return;
        }
        self.look();
        if self.unpaid < SLICE {
            return;
        }
        let mut left = pause_after(self.unpaid, self.percent);
        self.unpaid = Duration::ZERO;
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let nap = left.min(NAP);
            rest(nap);
            left -= nap;
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing is waited for: this is the pause itself")]
fn rest(nap: Duration) {
    std::thread::sleep(nap);
}

fn pause_after(work: Duration, percent: u32) -> Duration {
    work * (100 - percent) / percent
}

/// CPU time of the calling thread, including time in the kernel.
pub(super) fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn both_together_take_no_more_than_a_twentieth() {
        assert_eq!(ROUNDS_PERCENT + ASKED_PERCENT, 5);
        assert_eq!(pause_after(Duration::from_millis(10), 4), Duration::from_millis(240));
        assert_eq!(pause_after(Duration::from_millis(10), 1), Duration::from_millis(990));
    }

    #[test]
    fn a_thread_keeps_to_its_part() {
        let (mut pace, stop) = (Pace::new(20), AtomicBool::new(false));
        let (begun, before) = (Instant::now(), thread_time());
        pace.begin();
        let mut sum = 0_u64;
        while thread_time() - before < Duration::from_millis(60) {
            for number in 0..20_000_u64 {
                sum = sum.wrapping_mul(31).wrapping_add(number);
            }
            pace.step(&stop);
        }
        assert_ne!(sum, 1);
        assert!(pace.end() >= Duration::from_millis(50));
        // It takes at least as long, however busy the machine is.
        assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());
        // A stopped pace never waits.
        stop.store(true, Ordering::Relaxed);
        pace.unpaid = Duration::from_secs(3600);
        (0..STEPS).for_each(|_| pace.step(&stop));
    }
}
