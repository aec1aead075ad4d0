//! What kinds of failure there are. How they look on the wire is `http-kit`'s matter.

/// The kind of a refused or failed request; each has one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// 400: the request can't be read.
    BadRequest,
    /// 401: no valid session.
    Unauthorized,
    /// 403: this person may never do this.
    Forbidden,
    /// 404: not there, or not theirs to know of.
    NotFound,
    /// 405: the path has no such verb.
    MethodNotAllowed,
    /// 408: the request did not come to its end in time.
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

/// An error that no caller can act on: it becomes a 500, 503 or 507, with the cause in the log. Crates that
/// know nothing of HTTP mark their own errors with it, so that `?` works in handlers.
pub trait Unexpected: std::error::Error + Send + Sync + 'static {
    /// Whether it is that the machine has no room left, which an administrator can act on.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether it is that something this needs, such as the database server, does not answer: it passes by itself.
    fn is_away(&self) -> bool {
        false
    }
}
