//! A cluster's errors as reasons on pages and as answers of calls.

use engine::Error;
use http_kit::ApiError;
use kernel::ErrorKind;

use super::{EngineFault, explain};

/// The cause, followed by the engine's own words where they add to it.
pub(crate) fn said(what: &str, error: &Error) -> String {
    let EngineFault { words, original, .. } = explain(error);
    match error {
        Error::Unreachable(_) | Error::Invalid(_) | Error::NoAddresses(_) => format!("{what}：{words}"),
        _ if words.is_empty() => format!("{what}：{original}"),
        _ => format!("{what}：{words}：{original}"),
    }
}

/// A cluster's refusal as the answer of a call.
pub(crate) fn refused(what: &str, error: &Error) -> ApiError {
    match error {
        Error::Unreachable(_) => {
            ApiError::new(ErrorKind::Unavailable, "server_unreachable", format!("{what}：服务器暂时失联，请稍后再试"))
        }
        _ => ApiError::conflict("engine_refused", said(what, error)),
    }
}

/// Maps a cluster's error to an API error for a caller who enters an instance.
pub(crate) fn not_entered(error: Error) -> ApiError {
    match error {
        Error::Unreachable(_) => unavailable(&error),
        Error::NotFound(_) => ApiError::conflict("instance_state", "实例没有容器"),
        Error::Conflict(_) => ApiError::conflict("instance_state", "实例没有在运行"),
        other => ApiError::internal(other),
    }
}

fn unavailable(error: &Error) -> ApiError {
    let message = format!("服务器没有响应：{}", explain(error).words);
    ApiError::new(ErrorKind::Unavailable, "server_unreachable", message)
}
