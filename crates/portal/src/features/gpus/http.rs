//! `/api/gpus`: cards, one by one.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{
    Administrator, ApiError, ApiResult, ClientAddress, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes,
};
use kernel::{Actor, Page, Timestamp, rules};
use serde::Serialize;
use utoipa::ToSchema;

use super::model::{DeviceGpuForm, Gpu, GpuChange, GpuKind, GpuQuery, GpuRow, GpuSample};
use super::model_outages::OutageEnding;
use super::store_outages::End;
use super::{faults, http_batch, store, store_leases, store_samples, view};
use crate::Portal;
use crate::features::logs::{self, Operation};
use crate::features::notices::Told;
use crate::features::{allocations, servers};
use crate::store_samples::SampleQuery;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, declare))
        .routes(routes!(http_batch::declare_equal))
        .routes(routes!(change, delete))
        .routes(routes!(samples))
}

/// 显卡列表
///
/// Cards of the servers that one may use.
#[utoipa::path(get, path = "/api/gpus", operation_id = "gpus_list", tag = "gpus", params(GpuQuery),
    responses((status = 200, body = Page<Gpu>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<GpuQuery>,
) -> ApiResult<Json<Page<Gpu>>> {
    let rows = ListQuery { page: query.page, size: query.size, ..ListQuery::default() }.rows()?;
    let accesses = allocations::accesses_of(portal.db(), &actor, portal.now()).await?;
    let cards = store::all(portal.db()).await?.into_iter().filter(|card| {
        accesses.of(&card.server).is_some() && query.server.as_ref().is_none_or(|server| *server == card.server)
    });
    let mut cards = view::shown(&portal, &actor, &accesses, cards.collect()).await?;
    cards.retain(|card| query.state.is_none_or(|state| state == card.state));
    Ok(Json(Page::cut(cards, rows)))
}

/// 按设备节点登记显卡
///
/// Declares a card by its device nodes.
#[utoipa::path(post, path = "/api/gpus", operation_id = "gpus_declare", tag = "gpus", request_body = DeviceGpuForm,
    responses((status = 201, body = Gpu, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 422, body = Problem)))]
async fn declare(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(form): Json<DeviceGpuForm>,
) -> ApiResult<Response> {
    form.check().finish()?;
    let tx = portal.db().begin().await?;
    tx.serialize("gpus").await?;
    let server = servers::by_id(&tx, &form.server).await?;
    let cards = store::of_server(&tx, &server.id).await?;
    let card = form.card(&cards)?;
    store::insert(&tx, &card).await?;
    let detail = format!("{}：{}", card.model, card.device_nodes.join("、"));
    record(&tx, &actor, address, "gpu.declare", server.name, detail, portal.now()).await?;
    tx.commit().await?;
    portal.wake_server(&card.server);
    let location = HeaderValue::from_str(&format!("/api/gpus/{}", card.id)).map_err(ApiError::internal)?;
    let shown = one_shown(&portal, &actor, card).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(shown)).into_response())
}

/// 停用显卡或标为故障
///
/// Takes a card out of use, or marks it as faulty or as repaired. An instance that holds it keeps it until it
/// stops.
#[utoipa::path(put, path = "/api/gpus/{id}", operation_id = "gpus_change", tag = "gpus",
    params(("id" = String, Path)), request_body = GpuChange,
    responses((status = 200, body = Gpu), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Path(id): Path<String>,
    Json(change): Json<GpuChange>,
) -> ApiResult<Json<Gpu>> {
    let fault = change.fault.map(|fault| fault.trim().to_owned());
    if fault.as_ref().is_some_and(|fault| !rules::is_line(fault, 200)) {
        return Err(ApiError::field("fault", "最多 200 个字，不能有控制字符"));
    }
    let now = portal.now();
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    let mut card = store::by_id(&tx, &id).await?;
    let server = servers::by_id(&tx, &card.server).await?;
    let (mut told, mut done) = (Told::default(), Vec::new());
    if let Some(excluded) = change.excluded {
        store::set_excluded(&tx, &id, excluded).await?;
        card.excluded = excluded;
        done.push(if excluded { "停用" } else { "恢复使用" }.to_owned());
    }
    match fault {
        Some(words) if words.is_empty() => {
            let end = End { ending: OutageEnding::ByHand, by: &actor, result: "" };
            told = faults::put_back(&tx, (&server, &card), &end, now).await?;
            card.fault = words;
            done.push("故障已恢复".to_owned());
        }
        Some(words) => {
            told = faults::mark_by_hand(&tx, (&server, &card), &words, &actor, now).await?;
            done.push(format!("故障：{words}"));
            card.fault = words;
        }
        None => {}
    }
    let detail = format!("{} 号卡{}", card.position, done.join("，"));
    record(&tx, &actor, address, "gpu.update", server.name, detail, now).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(Json(one_shown(&portal, &actor, card).await?))
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
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
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
    record(&tx, &actor, address, "gpu.delete", server.name, card.model, portal.now()).await?;
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

async fn one_shown(portal: &Portal, actor: &Actor, card: GpuRow) -> ApiResult<Gpu> {
    let accesses = allocations::Accesses::All;
    view::shown(portal, actor, &accesses, vec![card]).await?.pop().ok_or_else(|| ApiError::not_found("显卡"))
}

pub(super) async fn record(
    tx: &db_kit::Tx,
    actor: &Actor,
    address: std::net::IpAddr,
    action: &'static str,
    target: String,
    detail: String,
    at: Timestamp,
) -> ApiResult<()> {
    logs::record(tx, at, Operation { actor, address: address.to_string(), action, target, detail }).await
}
