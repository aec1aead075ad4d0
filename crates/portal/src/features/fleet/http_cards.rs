//! `/api/gpus`: cards with what runs on them.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Actor, Page, Timestamp, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::view;
use crate::Portal;
use crate::features::allocations::{self, Accesses};
use crate::features::gpus::{self, DeviceGpuForm, EqualGpusForm, Gpu, GpuChange, GpuQuery, GpuRow};
use crate::features::logs::ActingAdministrator;
use crate::features::users;
use crate::features::{instances, servers};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, declare))
        .routes(routes!(declare_equal))
        .routes(routes!(change))
        .routes(routes!(held_gpus))
}

/// 显卡列表
///
/// Cards of the servers that one may use.
#[utoipa::path(get, path = "/api/gpus", operation_id = "gpus_list", tag = "gpus", params(GpuQuery),
    responses((status = 200, body = Page<Gpu>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(actor): SignedIn, query: GpuQuery) -> ApiResult<Json<Page<Gpu>>> {
    let rows = query.list.rows()?;
    let accesses = allocations::accesses_of(portal.db(), &actor, portal.now()).await?;
    let cards = gpus::all(portal.db()).await?.into_iter().filter(|card| {
        accesses.of(&card.server).is_some() && query.filter.server.as_ref().is_none_or(|server| *server == card.server)
    });
    let mut cards = view::cards_shown(&portal, &actor, &accesses, cards.collect()).await?;
    cards.retain(|card| query.filter.state.is_none_or(|state| state == card.state));
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
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<DeviceGpuForm>,
) -> ApiResult<Response> {
    let card = gpus::declare(&portal, &by, form).await?;
    let location = HeaderValue::from_str(&format!("/api/gpus/{}", card.id)).map_err(ApiError::internal)?;
    let shown = one_shown(&portal, &by.actor, card).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(shown)).into_response())
}

/// 登记几张相同的显卡
///
/// Declares equal cards by their numbers and device nodes: all of them or none.
#[utoipa::path(post, path = "/api/gpus/batch", operation_id = "gpus_declare_equal", tag = "gpus",
    request_body = EqualGpusForm,
    responses((status = 201, body = Page<Gpu>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn declare_equal(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<EqualGpusForm>,
) -> ApiResult<(StatusCode, Json<Page<Gpu>>)> {
    let cards = gpus::declare_equal(&portal, &by, &form).await?;
    let shown = view::cards_shown(&portal, &by.actor, &Accesses::All, cards).await?;
    Ok((StatusCode::CREATED, Json(Page::whole(shown))))
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
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(change): Json<GpuChange>,
) -> ApiResult<Json<Gpu>> {
    let card = gpus::change(&portal, &by, &id, change).await?;
    Ok(Json(one_shown(&portal, &by.actor, card).await?))
}

/// A user's cards on one server.
#[derive(Debug, Serialize, ToSchema)]
struct UserGpus {
    /// Cards the user may hold at once, on all servers together.
    limit: i64,
    /// Cards held on this server.
    used: i64,
    gpus: Vec<HeldGpu>,
}

/// A card that is held.
#[derive(Debug, Serialize, ToSchema)]
struct HeldGpu {
    uuid: String,
    server: String,
    instance: String,
    since: Timestamp,
}

/// 用户在一台服务器上占用的显卡
///
/// The cards that a user holds on a server.
#[utoipa::path(get, path = "/api/users/usergpus/{user}/{serverId}", operation_id = "users_gpus", tag = "users",
    params(("user" = i64, Path), ("serverId" = String, Path)),
    responses((status = 200, body = UserGpus), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn held_gpus(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path((id, server)): Path<(UserId, String)>,
) -> ApiResult<Json<UserGpus>> {
    users::may_know(&actor, id)?;
    let limit = users::quotas_of(portal.db(), id).await?.gpu_limit;
    let server = servers::by_id(portal.db(), &server).await?;
    let occupants = instances::occupants(portal.db()).await?;
    let leases = gpus::open_leases(portal.db(), Some(&server.id)).await?;
    let cards = gpus::of_server(portal.db(), &server.id).await?.into_iter().filter_map(|card| {
        let held = leases.get(&card.id).filter(|held| held.user == id)?;
        let instance = occupants.iter().find(|one| one.id == held.instance_id);
        let instance = instance.map_or_else(String::new, |one| one.name.clone());
        Some(HeldGpu { uuid: card.uuid, server: server.name.clone(), instance, since: held.since })
    });
    let gpus: Vec<HeldGpu> = cards.collect();
    let used = i64::try_from(gpus.len()).unwrap_or(i64::MAX);
    Ok(Json(UserGpus { limit, used, gpus }))
}

async fn one_shown(portal: &Portal, actor: &Actor, card: GpuRow) -> ApiResult<Gpu> {
    let shown = view::cards_shown(portal, actor, &Accesses::All, vec![card]).await?.pop();
    shown.ok_or_else(|| ApiError::not_found("显卡"))
}
