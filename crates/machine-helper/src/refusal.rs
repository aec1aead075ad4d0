//! Why something was not done.

use serde::{Deserialize, Serialize};

/// A closed reason. Words are put to it where people read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    /// The kernel or the file system lacks the feature, or it is disabled there.
    NotSupported,
    /// A program of the machine is not installed: `nft`, or `xfs_io` and `xfs_quota`.
    ToolMissing,
    /// There is no such folder, container, mount or file.
    NotFound,
    /// It exists and is not ours.
    NotOurs,
    /// The kernel, or an engine's own restrictions, forbid it.
    Denied,
    /// It was tried and failed; `errno` where the kernel gave a number.
    Failed { errno: Option<i32> },
}

impl Refusal {
    /// Failed for a reason that the kernel gives no number for.
    pub const UNKNOWN: Self = Self::Failed { errno: None };
}

impl From<rustix::io::Errno> for Refusal {
    fn from(errno: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match errno {
            // A link where none is followed.
            Errno::PERM | Errno::ACCESS | Errno::LOOP => Self::Denied,
            Errno::NOENT | Errno::NOTDIR | Errno::XDEV => Self::NotFound,
            Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOTTY => Self::NotSupported,
            other => Self::Failed { errno: Some(other.raw_os_error()) },
        }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        error.raw_os_error().map_or(Self::UNKNOWN, |code| rustix::io::Errno::from_raw_os_error(code).into())
    }
}
