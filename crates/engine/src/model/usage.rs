//! Resources that a container uses.

use kernel::Timestamp;

/// One measurement. Counters grow from the container's start; a rate is the difference of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// When, by the engine's clock.
    pub at: Timestamp,
    /// Nanoseconds of CPU so far, all cores together.
    pub cpu_nanos: u64,
    /// Bytes in use, without reclaimable caches.
    pub memory: u64,
    /// Bytes it may use.
    pub memory_limit: u64,
    /// Processes and threads.
    pub pids: u64,
    /// Bytes received so far.
    pub received: u64,
    /// Bytes sent so far.
    pub sent: u64,
    /// Bytes read from disks so far.
    pub disk_read: u64,
    /// Bytes written to disks so far.
    pub disk_written: u64,
}

impl Usage {
    /// Average number of busy cores since an earlier measurement: 1.5 is one and a half. 0 when the container was
    /// restarted in between.
    #[must_use]
    pub fn cores_since(&self, earlier: &Self) -> f64 {
        let millis = self.at.as_millis() - earlier.at.as_millis();
        if millis <= 0 {
            return 0.0;
        }
        // Both differences are far below 2^52, so nothing is lost.
        self.cpu_nanos.saturating_sub(earlier.cpu_nanos) as f64 / 1e6 / millis as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_cpu_time_over_time() {
        let at = |millis, cpu_nanos| Usage {
            at: Timestamp::from_millis(millis),
            cpu_nanos,
            memory: 0,
            memory_limit: 0,
            pids: 0,
            received: 0,
            sent: 0,
            disk_read: 0,
            disk_written: 0,
        };
        assert!((at(3000, 3_500_000_000).cores_since(&at(1000, 500_000_000)) - 1.5).abs() < 1e-9);
        assert!(at(3000, 5).cores_since(&at(1000, 10)).abs() < 1e-9);
        assert!(at(1000, 10).cores_since(&at(1000, 5)).abs() < 1e-9);
    }
}
