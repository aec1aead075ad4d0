//! How paths with a tail are registered and documented: the one place where the two differ.

use utoipa::openapi::{ComponentsBuilder, OpenApiBuilder};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::error::DiskError;

/// Registers handlers for `prefix` and everything below it. They are documented with the path
/// `{prefix}/{path}`, where `path` may have slashes and may be empty; a path template of OpenAPI
/// can't say that, and a wildcard of the router can't be empty.
pub(crate) fn subtree<S>(prefix: &str, (schemas, paths, methods): UtoipaMethodRouter<S>) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let components = ComponentsBuilder::new().schemas_from_iter(schemas).build();
    let document = OpenApiBuilder::new().paths(paths).components(Some(components)).build();
    OpenApiRouter::with_openapi(document)
        .route(prefix, methods.clone())
        .route(&format!("{prefix}/"), methods.clone())
        .route(&format!("{prefix}/{{*path}}"), methods)
}

/// The answer where no route is.
pub(crate) async fn not_found() -> DiskError {
    DiskError::NotFound
}

/// The answer where the route has no such verb.
pub(crate) async fn not_allowed() -> DiskError {
    DiskError::MethodNotAllowed
}
