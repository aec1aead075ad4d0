//! Units of quotas.

/// One core's share of a CPU period, in microseconds: Docker's `--cpu-quota` over its default
/// `--cpu-period` of 100 000 µs. A `CPUPeriodQuota` of 400 000 is 4 cores; 0 is no limit.
pub const CPU_PERIOD: i64 = 100_000;

/// One GB as pages show it, in bytes.
pub const GB: i64 = 1024 * 1024 * 1024;
