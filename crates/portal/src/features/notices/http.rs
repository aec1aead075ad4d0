//! `/api/notices`: a person's own.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, ListQuery, Problem, Query, Routes, SignedIn, routes};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{NoticeGroup, NoticeGroupCount, UserNotice};
use super::store::{self, Which};
use super::tell::Told;
use crate::Portal;

/// The most notices in one request.
const MOST_MARKED: usize = 500;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, delete)).routes(routes!(unread)).routes(routes!(read))
}

/// Which notices are asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct NoticeQuery {
    /// Page, from 1.
    #[param(minimum = 1)]
    page: Option<u32>,
    /// Rows on a page, 1 to 200, otherwise 20.
    #[param(minimum = 1, maximum = 200)]
    size: Option<u32>,
    /// Only those that were not read.
    unread: Option<bool>,
    /// Only those of this group.
    #[param(inline)]
    group: Option<NoticeGroup>,
}

/// A page of a person's notices.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NoticeList {
    /// The latest first.
    items: Vec<UserNotice>,
    /// Notices on all pages together.
    total: i64,
    /// How many of all were not read.
    unread: i64,
    /// The same by group, without groups of which there are none.
    groups: Vec<NoticeGroupCount>,
}

/// How many notices were not read.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NoticeCount {
    unread: i64,
}

/// Which notices were read: some, or all, or all of a group.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NoticesRead {
    /// Those that are not the reader's own are passed over.
    #[serde(default)]
    #[schema(max_items = 500)]
    ids: Vec<String>,
    #[serde(default)]
    all: bool,
    /// With `all`: only those of this group.
    group: Option<NoticeGroup>,
    /// With `ids`: they are to count as not read again.
    #[serde(default)]
    unread: bool,
}

/// 我的通知
///
/// The caller's notices, the latest first.
#[utoipa::path(get, path = "/api/notices", operation_id = "notices_list", tag = "notices", params(NoticeQuery),
    responses((status = 200, body = NoticeList), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<NoticeQuery>,
) -> ApiResult<Json<NoticeList>> {
    let rows = ListQuery { page: query.page, size: query.size, ..ListQuery::default() }.rows()?;
    let db = portal.db();
    let which = Which { unread: query.unread.unwrap_or_default(), group: query.group };
    let found = store::list(db, actor.id, which, rows).await?;
    let groups = store::counts(db, actor.id).await?;
    let unread = groups.iter().map(|count| count.unread).sum();
    Ok(Json(NoticeList { items: found.items, total: found.total, unread, groups }))
}

/// 未读通知数
///
/// How many of the caller's notices were not read.
#[utoipa::path(get, path = "/api/notices/unread", operation_id = "notices_unread", tag = "notices",
    responses((status = 200, body = NoticeCount), (status = 401, body = Problem)))]
async fn unread(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<NoticeCount>> {
    Ok(Json(NoticeCount { unread: store::unread(portal.db(), actor.id).await? }))
}

/// 标记通知已读
///
/// Marks some or all of the caller's notices as read, on all devices. Idempotent.
#[utoipa::path(post, path = "/api/notices/read", operation_id = "notices_read", tag = "notices",
    request_body = NoticesRead,
    responses((status = 200, body = NoticeCount), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 422, body = Problem)))]
async fn read(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Json(form): Json<NoticesRead>,
) -> ApiResult<Json<NoticeCount>> {
    if form.ids.is_empty() && !form.all {
        return Err(ApiError::field("ids", "请指定通知，或全部"));
    }
    if form.ids.len() > MOST_MARKED {
        return Err(ApiError::field("ids", format!("一次最多 {MOST_MARKED} 条")));
    }
    let (tx, now) = (portal.db().begin().await?, portal.now());
    let marked = if form.all {
        store::mark_all_read(&tx, actor.id, form.group, now).await?
    } else if form.unread {
        store::mark_unread(&tx, actor.id, &form.ids).await?
    } else {
        store::mark_read(&tx, actor.id, &form.ids, now).await?
    };
    let unread = store::unread(&tx, actor.id).await?;
    tx.commit().await?;
    if marked > 0 {
        portal.tell_noticed(&Told::only(actor.id));
    }
    Ok(Json(NoticeCount { unread }))
}

/// 清除已读通知
///
/// Removes the caller's notices that were read.
#[utoipa::path(delete, path = "/api/notices", operation_id = "notices_delete", tag = "notices",
    responses((status = 204), (status = 401, body = Problem)))]
async fn delete(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let removed = store::delete_read(&tx, actor.id).await?;
    tx.commit().await?;
    if removed > 0 {
        portal.tell_noticed(&Told::only(actor.id));
    }
    Ok(StatusCode::NO_CONTENT)
}
