//! Registration and documentation of paths with a tail: the one place where the two differ.

use disk_core::error::DiskError;
use http_kit::{Calls, Routes};

use super::ErrorResponse;

/// Registers handlers for `prefix` and everything below it. They are documented with the path `{prefix}/{path}`, where
/// `path` may contain slashes and may be empty; a path template of OpenAPI cannot express that, and a wildcard of the
/// router cannot be empty.
pub(crate) fn subtree<S>(prefix: &str, calls: Calls<S>) -> Routes<S>
where
    S: Clone + Send + Sync + 'static,
{
    Routes::new().routes_at(&[prefix, &format!("{prefix}/"), &format!("{prefix}/{{*path}}")], calls)
}

/// The answer where no route is.
pub(crate) async fn not_found() -> ErrorResponse {
    DiskError::NotFound.into()
}

/// The response when the route does not support the method.
pub(crate) async fn not_allowed() -> ErrorResponse {
    DiskError::MethodNotAllowed.into()
}
