//! Maps errors of the API server and of the way to it.

use std::future::Future;
use std::time::Duration;

use tokio::time::timeout;

use crate::{Error, Result};

/// Waits for a call, for `limit` at most.
pub(super) async fn within<T>(limit: Duration, call: impl Future<Output = kube::Result<T>>) -> Result<T> {
    match timeout(limit, call).await {
        Ok(answer) => answer.map_err(from_kube),
        Err(_) => Err(Error::Unreachable(format!("no answer within {} s", limit.as_secs()))),
    }
}

pub(super) fn from_kube(error: kube::Error) -> Error {
    match error {
        kube::Error::Api(status) => by_status(status.code, &status.reason, status.message),
        kube::Error::HyperError(_)
        | kube::Error::Service(_)
        | kube::Error::ReadEvents(_)
        | kube::Error::UpgradeConnection(_) => Error::Unreachable(chain(&error)),
        other => Error::Failed(chain(&other)),
    }
}

/// By the API's codes and its words for reasons. What the API server can't do at present, because its own database or a
/// part behind it is away, says nothing about the request.
pub(super) fn by_status(code: u16, reason: &str, words: String) -> Error {
    match (code, reason) {
        (404, _) => Error::NotFound(words),
        (409, _) => Error::Conflict(words),
        // A list that took too long to be read page by page (410) is restarted.
        (408 | 410 | 429 | 502..=504, _) | (_, "ServerTimeout" | "Timeout" | "ServiceUnavailable" | "TooManyRequests") => {
            Error::Unreachable(words)
        }
        (500.., _) if words.contains("etcdserver") || words.contains("context deadline exceeded") => {
            Error::Unreachable(words)
        }
        (400..=499, _) => Error::Rejected(words),
        _ => Error::Failed(words),
    }
}

/// An error's text with those of its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        source = cause.source();
    }
    words
}

/// Whether it is only that something is not there.
pub(super) fn absent<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_server_without_its_database_is_unreachable() {
        for (code, reason, words) in [
            (500, "InternalError", "etcdserver: request timed out"),
            (503, "ServiceUnavailable", "the server is currently unable to handle the request"),
            (504, "Timeout", "request did not complete within the allotted timeout"),
            (429, "TooManyRequests", "storage is (re)initializing"),
        ] {
            assert!(matches!(by_status(code, reason, words.to_owned()), Error::Unreachable(_)), "{words}");
        }
        let words = || "pods \"x\" is forbidden: exceeded quota: lab".to_owned();
        assert_eq!(by_status(403, "Forbidden", words()), Error::Rejected(words()));
        assert_eq!(by_status(401, "Unauthorized", words()), Error::Rejected(words()));
        assert_eq!(by_status(500, "InternalError", words()), Error::Failed(words()));
        assert_eq!(by_status(409, "AlreadyExists", words()), Error::Conflict(words()));
    }
}
