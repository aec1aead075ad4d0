//! The answers of a machine.

use serde::{Deserialize, Serialize};

use crate::{BootId, Fact, GuardState, LogText, Refusal};

/// The program's only line of output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Done(Answer),
    Refused(Refusal),
}

impl From<Result<Answer, Refusal>> for Reply {
    fn from(result: Result<Answer, Refusal>) -> Self {
        result.map_or_else(Self::Refused, Self::Done)
    }
}

/// The result of a verb.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Boot(Boot),
    FileSystem(FileSystem),
    KernelLog(KernelLog),
    ProjectUsage(ProjectUsage),
    ProjectChange(ProjectChange),
    NetworkGuard(GuardState),
    Unmounted(Unmounted),
    /// Done, without a result.
    Nothing,
}

/// Nothing is mounted there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmounted {
    /// Whether programs still have files or folders of it open, until they close them or end.
    pub still_open: bool,
}

/// Which boot this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    pub boot_id: BootId,
    /// Milliseconds since the boot, including suspensions.
    pub uptime_ms: u64,
    /// Milliseconds since 1970 on the machine's wall clock.
    pub wall_ms: i64,
}

/// A file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// As in `xfs`.
    pub kind: Fact,
    /// As in `/dev/sda1`, or `server:/export`.
    pub device: Fact,
    /// Its mount point on the machine.
    pub mounted_at: Fact,
    /// As the kernel lists them, separated by commas. A read-only flag of this mount alone is not included.
    pub options: Fact,
    pub size_bytes: u64,
    /// The space for users without special rights.
    pub free_bytes: u64,
    /// 0 where the file system has no fixed number.
    pub inodes: u64,
    pub free_inodes: u64,
    pub project_quota: ProjectQuotaState,
    pub reflink: Reflink,
}

/// Whether the file system counts and limits projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectQuotaState {
    /// This kind of file system never does.
    NotSupported,
    /// It could and is mounted without it.
    Off,
    On,
}

/// Whether a copy can share its blocks with the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reflink {
    Yes,
    No,
    /// Unknown without a try.
    Unknown,
}

/// The newest lines of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLog {
    pub lines: Vec<LogLine>,
    /// The number of older lines since the requested time that did not fit.
    pub left_out: u64,
    /// The log's clock now: milliseconds since the boot, without suspensions.
    pub now_ms: u64,
    /// The wall clock at the same time, in milliseconds since 1970.
    pub wall_ms: i64,
}

/// A record of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Milliseconds since the boot.
    pub at_ms: u64,
    /// 0 (emergency) to 7 (debug); 4 is a warning.
    pub level: u8,
    pub text: LogText,
}

/// Whether the project of a file could be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectChange {
    pub possible: bool,
}

/// A project's use and limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectUsage {
    pub used_bytes: u64,
    pub limit_bytes: Option<u64>,
}
