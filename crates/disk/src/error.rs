//! Errors of the disk as responses: a status and one line of text, as clients of File Browser's API expect them.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::BodyFault;
use rustix::io::Errno;

use kernel::Unexpected;

use crate::jail::PathError;
use crate::reason::{self, Reason, Why};

/// The error of a handler.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiskError {
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

pub(crate) type DiskResult<T> = Result<T, DiskError>;

impl DiskError {
    pub(crate) fn bad_request(why: impl Into<Why>) -> Self {
        Self::BadRequest(why.into())
    }

    pub(crate) fn conflict(why: impl Into<Why>) -> Self {
        Self::Conflict(why.into())
    }

    pub(crate) fn internal(source: impl Into<anyhow::Error>) -> Self {
        Self::Internal(source.into())
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::ChecksumMismatch => checksum_mismatch(),
            Self::RangeNotSatisfiable(_) => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::Busy | Self::Locked => StatusCode::LOCKED,
            Self::BadGateway(_) => StatusCode::BAD_GATEWAY,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::InsufficientStorage(_) => StatusCode::INSUFFICIENT_STORAGE,
            Self::Unavailable(_) | Self::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Why, where the status alone does not tell; the cause of a 5xx is never told.
    pub(crate) fn reason(&self) -> Option<Reason> {
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

    /// The line for the client, with the reason in parentheses.
    fn line(&self) -> String {
        let text = match self {
            Self::BadRequest(why) | Self::Conflict(why) => Some(why.text()),
            other => other.reason().map(Reason::text),
        };
        status_line(self.status(), text)
    }

    /// The text for the client.
    pub(crate) fn told(&self) -> String {
        self.line().trim_end().to_owned()
    }
}

/// 460, which is defined by tus only.
fn checksum_mismatch() -> StatusCode {
    StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST)
}

/// `404 Not Found\n`, the shape of every answer that carries no data.
pub(crate) fn status_line(status: StatusCode, reason: Option<&str>) -> String {
    let words = status.canonical_reason().unwrap_or("Checksum Mismatch");
    match reason {
        Some(reason) => format!("{} {words} ({reason})\n", status.as_u16()),
        None => format!("{} {words}\n", status.as_u16()),
    }
}

/// `200 OK\n`.
pub(crate) fn done() -> Response {
    status_line(StatusCode::OK, None).into_response()
}

impl IntoResponse for DiskError {
    fn into_response(self) -> Response {
        let status = self.status();
        if let Self::Internal(source) | Self::Unavailable(source) = &self {
            tracing::error!(error = format!("{source:#}"), http.status = status.as_u16(), "disk request failed");
        }
        let mut response = (status, self.line()).into_response();
        let headers = response.headers_mut();
        if let Some(reason) = self.reason() {
            headers.insert(reason::HEADER, HeaderValue::from_static(reason.code()));
        }
        match self {
            Self::Unauthorized(_) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooManyRequests(wait) => {
                // Rounded up to whole seconds: a client that waits as long is not refused again.
                headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
            }
            Self::RangeNotSatisfiable(size) => {
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                    headers.insert(header::CONTENT_RANGE, value);
                }
            }
            _ => {}
        }
        response
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

impl From<BodyFault> for DiskError {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::TooLarge => Self::TooLarge,
            BodyFault::Stalled => Self::TimedOut,
            BodyFault::GivenUp => Self::Stopping,
            BodyFault::Broken => Self::bad_request(Reason::BodyEnded),
        }
    }
}

/// Of reading a body.
impl From<axum::Error> for DiskError {
    fn from(error: axum::Error) -> Self {
        BodyFault::of(&error).into()
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
