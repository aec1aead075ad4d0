//! Faults of a request's body before it is parsed.

use std::error::Error;
use std::time::Duration;

use http::HeaderMap;
use http_body_util::LengthLimitError;
use tower_http::timeout::TimeoutError;

use crate::drain::announced;
use crate::serve::GivenUp;

/// Returns the total time allowed for a body that is buffered as a whole. Without a limit, a client that sends a few
/// bytes at a time holds its connection for ever. Streamed bodies, such as uploads, are not limited.
#[must_use]
pub fn time_for_body(headers: &HeaderMap) -> Duration {
    const AT_LEAST: Duration = Duration::from_secs(30);
    const SLOWEST_BYTES_A_SECOND: u64 = 16 * 1024;
    AT_LEAST + Duration::from_secs(announced(headers).unwrap_or_default() / SLOWEST_BYTES_A_SECOND)
}

/// Why a body could not be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// It is longer than it may be.
    TooLarge,
    /// Its client stopped sending, and stayed silent for too long.
    Stalled,
    /// The server stops and could not wait for its end.
    GivenUp,
    /// The connection broke, or the body is malformed.
    Broken,
}

impl BodyFault {
    /// Finds the fault in an error and its causes.
    #[must_use]
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        let mut causes = std::iter::successors(Some(error), |&error| error.source());
        causes
            .find_map(|cause| match cause {
                // axum's rejection wraps it in one more box.
                cause if cause.is::<LengthLimitError>() || cause.is::<Box<LengthLimitError>>() => Some(Self::TooLarge),
                cause if cause.is::<TimeoutError>() => Some(Self::Stalled),
                cause if cause.is::<GivenUp>() => Some(Self::GivenUp),
                _ => None,
            })
            .unwrap_or(Self::Broken)
    }
}
