//! `GET /api/update` (SPEC §7).

use http_kit::{ApiResult, Json, Problem, SignedIn};
use kernel::VERSION;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Portal;

pub(crate) fn routes() -> OpenApiRouter<Portal> {
    OpenApiRouter::new().routes(routes!(update))
}

/// Versions, as pages show them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Update {
    version: String,
    /// The same as `version` while no update source is configured.
    latestversion: String,
    notes: String,
    /// `idle` while no update runs.
    state: String,
}

/// Which version runs, and which is the latest.
#[utoipa::path(get, path = "/api/update", operation_id = "update_get", tag = "update",
    responses((status = 200, body = Update), (status = 401, body = Problem)))]
async fn update(_person: SignedIn) -> ApiResult<Json<Update>> {
    Ok(Json(Update {
        version: VERSION.to_owned(),
        latestversion: VERSION.to_owned(),
        notes: String::new(),
        state: "idle".to_owned(),
    }))
}
