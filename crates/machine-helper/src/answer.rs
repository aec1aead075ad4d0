//! What a machine answers.

use serde::{Deserialize, Serialize};

use crate::{BootId, Fact, GuardState, LogText, Refusal};

/// The one line that the program writes.
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

/// What was found, or that it was done.
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
    /// Done, with nothing to tell.
    Nothing,
}

/// Nothing is mounted there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmounted {
    /// Programs had files or folders of it open, and keep those until they close them or end.
    pub still_open: bool,
}

/// Which boot this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    pub boot_id: BootId,
    /// Milliseconds since the boot, with those that the machine was asleep.
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
    /// Where it is mounted on the machine.
    pub mounted_at: Fact,
    /// As the kernel lists them, with commas. Whether this one mount is read-only is not told.
    pub options: Fact,
    pub size_bytes: u64,
    /// What people without special rights may still write.
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
    /// Only a try would tell.
    Unknown,
}

/// The newest lines of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLog {
    pub lines: Vec<LogLine>,
    /// Older lines since the moment that was asked for, which did not fit.
    pub left_out: u64,
    /// What the log's clock shows now: milliseconds since the boot, without those that the machine was asleep.
    pub now_ms: u64,
    /// What the wall clock shows at the same time, in milliseconds since 1970.
    pub wall_ms: i64,
}

/// One record.
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
