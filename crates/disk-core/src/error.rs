//! Why the disk refuses something, or fails: one enum for the file machinery and the features on it, so that a refusal
//! keeps its kind and its reason on the way up. What it looks like over HTTP is another matter.

use std::time::Duration;

use kernel::Unexpected;
use rustix::io::Errno;

use crate::jail::PathError;
use crate::reason::{Reason, Why};

/// A refusal, or a failure.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    #[error("bad request: {0}")]
    BadRequest(Why),
    #[error("nobody is signed in: {0}")]
    Unauthorized(Reason),
    #[error("forbidden")]
    Forbidden,
    #[error("not found")]
    NotFound,
    #[error("method not allowed")]
    MethodNotAllowed,
    /// The client stopped sending.
    #[error("timed out")]
    TimedOut,
    #[error("conflict: {0}")]
    Conflict(Why),
    #[error("changed meanwhile")]
    PreconditionFailed,
    #[error("too large")]
    TooLarge,
    #[error("unsupported media type")]
    UnsupportedMediaType,
    #[error("unprocessable: {0}")]
    Unprocessable(Reason),
    /// tus: the digest of the received bytes differs from the announced one.
    #[error("checksum mismatch")]
    ChecksumMismatch,
    /// The file's size, from which the client can tell which ranges are satisfiable.
    #[error("range not satisfiable in {0} bytes")]
    RangeNotSatisfiable(u64),
    #[error("busy")]
    Busy,
    /// Another person has locked it.
    #[error("locked")]
    Locked,
    /// The destination is on another server.
    #[error("elsewhere: {0}")]
    BadGateway(Reason),
    /// The client may try again after this long.
    #[error("too many tries")]
    TooManyRequests(Duration),
    #[error("no room: {0}")]
    InsufficientStorage(Reason),
    /// The portal or the database does not answer.
    #[error("a part that is needed does not answer")]
    Unavailable(#[source] anyhow::Error),
    /// The server stops and can't wait for the rest of the request.
    #[error("the server stops")]
    Stopping,
    #[error(transparent)]
    Internal(anyhow::Error),
}

/// The result of the disk's work.
pub type DiskResult<T> = Result<T, DiskError>;

impl DiskError {
    /// What the client sent can't be done.
    pub fn bad_request(why: impl Into<Why>) -> Self {
        Self::BadRequest(why.into())
    }

    /// What is there stands against it.
    pub fn conflict(why: impl Into<Why>) -> Self {
        Self::Conflict(why.into())
    }

    /// A failure that is not the client's.
    pub fn internal(source: impl Into<anyhow::Error>) -> Self {
        Self::Internal(source.into())
    }

    /// Why, where the status alone does not tell; the cause of a 5xx is never told.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::BadRequest(why) | Self::Conflict(why) => Some(why.reason),
            Self::Unauthorized(reason)
            | Self::InsufficientStorage(reason)
            | Self::Unprocessable(reason)
            | Self::BadGateway(reason) => Some(*reason),
            Self::Locked => Some(Reason::Locked),
            Self::Stopping => Some(Reason::Stopping),
            _ => None,
        }
    }
}

impl From<db_kit::DbError> for DiskError {
    fn from(error: db_kit::DbError) -> Self {
        if error.is_full() {
            tracing::error!(error = format!("{:#}", anyhow::Error::new(error)), "there is no room for the database");
            return Self::InsufficientStorage(Reason::DiskFull);
        }
        if error.is_away() {
            return Self::Unavailable(error.into());
        }
        Self::internal(error)
    }
}

impl From<PathError> for DiskError {
    fn from(error: PathError) -> Self {
        Self::bad_request(match error {
            PathError::Encoding => Reason::PathMalformed,
            PathError::Utf8 => Reason::PathEncoding,
            PathError::Nul => Reason::PathNul,
            PathError::Dots => Reason::PathDots,
            PathError::Empty => Reason::PathEmptySegment,
            PathError::TooLong => Reason::PathTooLong,
        })
    }
}

impl DiskError {
    /// Whether the kernel refused to rename something because it lies on another file system or is of another project.
    pub(crate) fn is_across(&self) -> bool {
        matches!(self, Self::Internal(source) if source.downcast_ref::<Errno>() == Some(&Errno::XDEV))
    }
}

impl From<Errno> for DiskError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT | Errno::NOTDIR => Self::NotFound,
            Errno::EXIST => Self::conflict(Reason::Exists),
            Errno::ISDIR => Self::conflict(Reason::FolderThere),
            Errno::NOTEMPTY => Self::conflict(Reason::NotEmpty),
            Errno::NAMETOOLONG => Self::bad_request(Reason::NameTooLong),
            Errno::NOSPC | Errno::DQUOT => Self::InsufficientStorage(Reason::DiskFull),
            Errno::FBIG => Self::TooLarge,
            Errno::BUSY | Errno::TXTBSY | Errno::AGAIN => Self::Busy,
            Errno::ACCESS | Errno::PERM | Errno::ROFS => {
                // The rules allow the person to do it, but the file system does not allow the process: an administrator
                // should know.
                tracing::warn!(error = %error, "the file system refuses the disk an operation");
                Self::Forbidden
            }
            other => Self::internal(anyhow::Error::new(other).context("file system")),
        }
    }
}

impl From<std::io::Error> for DiskError {
    fn from(error: std::io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => Self::internal(error),
        }
    }
}
