//! `/api/servers`: seeing servers, and the specification's call that replaces the whole list.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::Page;

use super::{http_cards, http_drain, http_manage, view};
use crate::Portal;
use crate::features::servers::{self, ServerQuery, ServerView};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, http_manage::create, http_manage::replace))
        .routes(routes!(get, http_manage::update, http_manage::delete))
        .routes(routes!(http_manage::check))
        .merge(http_drain::routes())
        .merge(http_cards::routes())
}

/// 服务器列表，含显卡
///
/// The servers that one may use, with their cards; all for administrators.
#[utoipa::path(get, path = "/api/servers", operation_id = "servers_list", tag = "servers", params(ServerQuery),
    responses((status = 200, body = Page<ServerView>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: ServerQuery,
) -> ApiResult<Json<Page<ServerView>>> {
    let (Page { items, total }, accesses) = servers::listed(&portal, &actor, &query).await?;
    Ok(Json(Page { items: view::shown(&portal, &actor, &accesses, items).await?, total }))
}

/// 一台服务器
///
/// One server with its cards.
#[utoipa::path(get, path = "/api/servers/{id}", operation_id = "servers_get", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = ServerView), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<ServerView>> {
    let (servers, accesses) = servers::visible(&portal, &actor).await?;
    let found = servers.into_iter().filter(|server| server.id == id).collect();
    let shown = view::shown(&portal, &actor, &accesses, found).await?.pop();
    Ok(Json(shown.ok_or_else(|| ApiError::not_found("服务器"))?))
}
