//! `/api/gpus/{id}`: the calls for a card that don't show it. Those that do are in `fleet`.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes};
use serde::Serialize;
use utoipa::ToSchema;

use super::model::{GpuKind, GpuSample};
use super::{store, store_leases, store_samples};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::{allocations, servers};
use crate::store_samples::SampleQuery;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(delete)).routes(routes!(samples))
}

/// 删除登记的显卡
///
/// Takes a declared card, or one that its machine no longer has, off the list.
#[utoipa::path(delete, path = "/api/gpus/{id}", operation_id = "gpus_delete", tag = "gpus",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    // The card is not leased meanwhile.
    tx.serialize("reservations").await?;
    let card = store::by_id(&tx, &id).await?;
    if store_leases::open_leases(&tx, Some(&card.server)).await?.contains_key(&id) {
        return Err(ApiError::conflict("gpu_in_use", "显卡正被实例使用，不能删除"));
    }
    if card.kind == GpuKind::Nvidia && !card.missing {
        return Err(ApiError::conflict("gpu_present", "该显卡由驱动发现，不能删除；如不想使用，请停用"));
    }
    store::delete(&tx, &id).await?;
    let server = servers::by_id(&tx, &card.server).await?;
    by.record(&tx, "gpu.delete", server.name, card.model).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How busy a card was.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct GpuSamples {
    /// Seconds from one to the next.
    span: i64,
    /// Oldest first. What is missing was not measured.
    items: Vec<GpuSample>,
}

/// 显卡的用量
///
/// How busy a card was.
#[utoipa::path(get, path = "/api/gpus/{id}/samples", operation_id = "gpus_samples", tag = "gpus",
    params(("id" = String, Path), SampleQuery),
    responses((status = 200, body = GpuSamples), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn samples(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Query(query): Query<SampleQuery>,
) -> ApiResult<Json<GpuSamples>> {
    let now = portal.now();
    let card = store::by_id(portal.db(), &id).await?;
    if allocations::accesses_of(portal.db(), &actor, now).await?.of(&card.server).is_none() {
        return Err(ApiError::not_found("显卡"));
    }
    let (span, items) = store_samples::since(portal.db(), &id, query.from(now), now).await?;
    Ok(Json(GpuSamples { span, items }))
}
