//! The kinds of failures. `http-kit` renders them.

/// The kind of a refused or failed request; each has one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// 400: the request can't be read.
    BadRequest,
    /// 401: no valid session.
    Unauthorized,
    /// 403: this person may never do this.
    Forbidden,
    /// 404: missing, or invisible to the user.
    NotFound,
    /// 405: the path has no such verb.
    MethodNotAllowed,
    /// 408: the request was not received in time.
    TimedOut,
    /// 409: clashes with a state or a name.
    Conflict,
    /// 412: changed since it was read.
    PreconditionFailed,
    /// 413: too large.
    TooLarge,
    /// 415: not a content type that is understood here.
    UnsupportedMediaType,
    /// 422: readable, but values are not acceptable.
    Invalid,
    /// 429: too often.
    TooManyRequests,
    /// 507: the server has no room for it.
    Full,
    /// 500: our fault.
    Internal,
    /// 503: a part that we need does not answer.
    Unavailable,
}

/// An error that no caller can handle: it becomes a 500, 503 or 507, with the cause in the log. Crates that do not
/// depend on HTTP implement it for their errors, so that `?` works in handlers.
pub trait Unexpected: std::error::Error + Send + Sync + 'static {
    /// Whether the machine is out of space, which an administrator can fix.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether a dependency, such as the database server, does not answer: a temporary failure.
    fn is_away(&self) -> bool {
        false
    }
}
