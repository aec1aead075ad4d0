//! Whether the portal can work. `yunlab healthcheck`, containers and tests wait on it.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Problem, Routes, routes};
use kernel::ErrorKind;

use crate::Portal;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(health))
}

/// 平台是否可用
///
/// `OK` when requests can be served.
#[utoipa::path(get, path = "/health", operation_id = "health_get", tag = "health",
    responses((status = 200, body = String, content_type = "text/plain"), (status = 503, body = Problem)))]
async fn health(State(portal): State<Portal>) -> ApiResult<&'static str> {
    match portal.db().ping().await {
        Ok(()) => Ok("OK\n"),
        Err(error) => {
            tracing::error!(error = %error, "health check failed");
            Err(ApiError::new(ErrorKind::Unavailable, "unavailable", "数据库没有应答"))
        }
    }
}
