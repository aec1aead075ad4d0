//! How paths with a tail are registered and documented: the one place where the two differ.

use http_kit::{Calls, Routes};

use crate::error::DiskError;

/// Registers handlers for `prefix` and everything below it. They are documented with the path
/// `{prefix}/{path}`, where `path` may have slashes and may be empty; a path template of OpenAPI
/// can't say that, and a wildcard of the router can't be empty.
pub(crate) fn subtree<S>(prefix: &str, calls: Calls<S>) -> Routes<S>
where
    S: Clone + Send + Sync + 'static,
{
    Routes::new().routes_at(&[prefix, &format!("{prefix}/"), &format!("{prefix}/{{*path}}")], calls)
}

/// The answer where no route is.
pub(crate) async fn not_found() -> DiskError {
    DiskError::NotFound
}

/// The answer where the route has no such verb.
pub(crate) async fn not_allowed() -> DiskError {
    DiskError::MethodNotAllowed
}
