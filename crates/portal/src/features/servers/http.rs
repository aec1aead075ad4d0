//! `/api/servers`: seeing servers, and the specification's call that replaces the whole list.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Order, Page};

use super::model::{Server, ServerQuery, ServerView};
use super::{http_drain, http_manage, view};
use crate::Portal;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, http_manage::create, http_manage::replace))
        .routes(routes!(get, http_manage::update, http_manage::delete))
        .routes(routes!(http_manage::check))
        .merge(http_drain::routes())
}

/// 服务器列表，含显卡
///
/// The servers that one may use, with their cards; all for administrators.
#[utoipa::path(get, path = "/api/servers", operation_id = "servers_list", tag = "servers", params(ServerQuery),
    responses((status = 200, body = Page<ServerView>), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<ServerQuery>,
) -> ApiResult<Json<Page<ServerView>>> {
    let list = ListQuery {
        page: query.page,
        size: query.size,
        sort: query.sort.clone(),
        order: query.order,
        q: query.q.clone(),
    };
    let rows = list.rows()?;
    let (mut servers, accesses) = view::visible(&portal, &actor).await?;
    let words = list.words();
    servers.retain(|server| {
        let found = |words: &String| {
            server.name.to_lowercase().contains(words) || server.public_host.to_lowercase().contains(words)
        };
        query.state.is_none_or(|state| state == server.state()) && words.as_ref().is_none_or(found)
    });
    sort(&mut servers, list.sort.as_deref(), list.order.unwrap_or_default())?;
    let Page { items, total } = Page::cut(servers, rows);
    Ok(Json(Page { items: view::shown(&portal, &actor, &accesses, items).await?, total }))
}

/// A lab has few enough servers to sort them here. They come by name.
fn sort(servers: &mut [Server], column: Option<&str>, order: Order) -> ApiResult<()> {
    match column {
        None | Some("name") => {}
        Some("created") => servers.sort_by_key(|server| server.created),
        Some("state") => servers.sort_by_key(|server| (!server.enabled, !server.reachable)),
        Some(_) => return Err(ApiError::bad_request("不能按该列排序")),
    }
    if order == Order::Desc {
        servers.reverse();
    }
    Ok(())
}

/// 一台服务器
///
/// One server with its cards.
#[utoipa::path(get, path = "/api/servers/{id}", operation_id = "servers_get", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = ServerView), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<ServerView>> {
    let (servers, accesses) = view::visible(&portal, &actor).await?;
    let found = servers.into_iter().filter(|server| server.id == id).collect();
    let shown = view::shown(&portal, &actor, &accesses, found).await?.pop();
    Ok(Json(shown.ok_or_else(|| ApiError::not_found("服务器"))?))
}
