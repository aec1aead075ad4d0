//! `GET /api/instances/{id}/samples`.

use axum::extract::State;
use http_kit::{ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes};

use super::model::InstanceSamples;
use super::{http, store_samples};
use crate::Portal;
use crate::store_samples::SampleQuery;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(samples))
}

/// 实例的用量
///
/// What an instance used.
#[utoipa::path(get, path = "/api/instances/{id}/samples", operation_id = "instances_samples", tag = "instances",
    params(("id" = String, Path), SampleQuery),
    responses((status = 200, body = InstanceSamples), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn samples(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Query(query): Query<SampleQuery>,
) -> ApiResult<Json<InstanceSamples>> {
    http::known(portal.db(), &actor, &id).await?;
    let now = portal.now();
    let (span, items) = store_samples::since(portal.db(), &id, query.from(now), now).await?;
    Ok(Json(InstanceSamples { span, items }))
}
