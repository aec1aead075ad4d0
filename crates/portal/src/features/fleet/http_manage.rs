//! Administrators' calls for servers.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query};
use kernel::Page;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{checked, removal, view};
use crate::Portal;
use crate::features::allocations::Accesses;
use crate::features::logs::ActingAdministrator;
use crate::features::servers::{self, Check, ServerForm, ServerListForm, ServerView};

/// 添加服务器
///
/// Adds a server. Its engine is asked at once; `servers/{id}/check` proves what it can do.
#[utoipa::path(post, path = "/api/servers", operation_id = "servers_create", tag = "servers",
    request_body = ServerForm,
    responses((status = 201, body = ServerView, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<ServerForm>,
) -> ApiResult<Response> {
    let server = servers::create(&portal, &by, form).await?;
    let location = HeaderValue::from_str(&format!("/api/servers/{}", server.id)).map_err(ApiError::internal)?;
    let shown = view::one_shown(&portal, &by.actor, server).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(shown)).into_response())
}

/// 修改服务器
///
/// Changes a server; left-out fields stay.
#[utoipa::path(put, path = "/api/servers/{id}", operation_id = "servers_update", tag = "servers",
    params(("id" = String, Path)), request_body = ServerForm,
    responses((status = 200, body = ServerView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn update(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<ServerForm>,
) -> ApiResult<Json<ServerView>> {
    let server = servers::update(&portal, &by, &id, form).await?;
    Ok(Json(view::one_shown(&portal, &by.actor, server).await?))
}

/// 移除服务器
///
/// Removes a server without instances; with `givenUp` one that will not come back, whose instances are released in
/// the portal's records. Nothing is done to its engine.
#[utoipa::path(delete, path = "/api/servers/{id}", operation_id = "servers_delete", tag = "servers",
    params(("id" = String, Path), RemovalQuery),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Query(query): Query<RemovalQuery>,
) -> ApiResult<StatusCode> {
    removal::remove(&portal, &by, &id, query.given_up.unwrap_or_default()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How a server is removed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct RemovalQuery {
    /// It will not come back: its instances are released without it. Only after it was silent for 10 minutes.
    given_up: Option<bool>,
}

/// 替换整个服务器列表
///
/// Replaces the list of servers: those with an id are changed, those without are added, those
/// that are missing are removed. All of it or nothing.
#[utoipa::path(put, path = "/api/servers", operation_id = "servers_replace", tag = "servers",
    request_body = ServerListForm,
    responses((status = 200, body = Page<ServerView>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn replace(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(list): Json<ServerListForm>,
) -> ApiResult<Json<Page<ServerView>>> {
    let all = servers::replace(&portal, &by, list).await?;
    Ok(Json(Page::whole(view::shown(&portal, &by.actor, &Accesses::All, all).await?)))
}

/// 检测服务器
///
/// Proves what the server's engine can do, now.
#[utoipa::path(post, path = "/api/servers/{id}/check", operation_id = "servers_check", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = Vec<Check>), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn check(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Json<Vec<Check>>> {
    Ok(Json(checked(&portal, &by, &id).await?))
}
