//! Maps Docker's errors by their status and, where one status means several things, by texts that Docker has used since
//! 2013.

use std::future::Future;
use std::time::Duration;

use bollard::errors::Error as Bollard;
use tokio::time::timeout;

use crate::{Error, Result};

/// Waits for a call of bollard's, for `limit` at most.
pub(super) async fn within<T>(limit: Duration, call: impl Future<Output = Result<T, Bollard>>) -> Result<T> {
    match timeout(limit, call).await {
        Ok(answer) => answer.map_err(from_bollard),
        Err(_) => Err(silent(limit)),
    }
}

/// The engine took too long.
pub(super) fn silent(limit: Duration) -> Error {
    Error::Unreachable(format!("no answer within {} s", limit.as_secs()))
}

pub(super) fn from_bollard(error: Bollard) -> Error {
    match error {
        Bollard::DockerResponseServerError { status_code, message } => by_status(status_code, message),
        Bollard::DockerStreamError { error } => by_words(error),
        Bollard::IOError { err } => Error::Unreachable(chain(&err)),
        Bollard::HyperResponseError { err } => Error::Unreachable(chain(&err)),
        Bollard::RequestTimeoutError => Error::Unreachable("no answer".to_owned()),
        other => Error::Failed(other.to_string()),
    }
}

pub(super) fn by_status(status: u16, words: String) -> Error {
    match status {
        401 => Error::Unauthorized(words),
        404 if is_about_an_image(&words.to_lowercase()) => Error::ImageMissing(words),
        404 => Error::NotFound(words),
        409 if words.contains("is already in use by container") => Error::NameTaken(words),
        409 => Error::Conflict(words),
        400..=499 => Error::Rejected(words),
        _ => by_words(words),
    }
}

/// Maps an error that occurred after the engine had accepted the request.
pub(super) fn by_words(words: String) -> Error {
    let lower = words.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|part| lower.contains(part));
    if says(&["port is already allocated", "address already in use"]) {
        Error::PortTaken(words)
    } else if is_about_an_image(&lower) {
        Error::ImageMissing(words)
    } else if says(&["unauthorized", "authentication required", "no basic auth", "denied: requested access"]) {
        Error::Unauthorized(words)
    } else {
        Error::Failed(words)
    }
}

fn is_about_an_image(words: &str) -> bool {
    const MISSING: [&str; 6] = [
        "no such image",
        "manifest unknown",
        "name unknown",
        "repository does not exist",
        "image does not exist",
        "tag does not exist",
    ];
    MISSING.iter().any(|part| words.contains(part))
        || (words.starts_with("manifest for") && words.contains("not found"))
}

/// An error's text with those of its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dockers_words_are_told_apart() {
        let words = |text: &str| text.to_owned();
        let port = "driver failed programming external connectivity on endpoint x: Bind for 0.0.0.0:80 failed: port is already allocated";
        assert_eq!(by_status(500, words(port)), Error::PortTaken(words(port)));
        let name = "Conflict. The container name \"/a\" is already in use by container \"0\".";
        assert!(matches!(by_status(409, words(name)), Error::NameTaken(_)));
        assert!(matches!(by_status(409, words("container is not running")), Error::Conflict(_)));
        assert!(matches!(by_status(404, words("No such image: a:b")), Error::ImageMissing(_)));
        assert!(matches!(by_status(404, words("No such container: a")), Error::NotFound(_)));
        assert!(matches!(by_status(400, words("invalid")), Error::Rejected(_)));
        assert!(matches!(by_status(500, words("no space left on device")), Error::Failed(_)));
        for missing in [
            "manifest for 127.0.0.1:5000/a:b not found: manifest unknown: manifest unknown",
            "pull access denied for a, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
            "An image does not exist locally with the tag: a",
            "tag does not exist: 127.0.0.1:5000/a:b",
        ] {
            assert!(matches!(by_words(words(missing)), Error::ImageMissing(_)), "{missing}");
        }
        for refused in ["unauthorized: authentication required", "no basic auth credentials"] {
            assert!(matches!(by_words(words(refused)), Error::Unauthorized(_)), "{refused}");
        }
    }
}
