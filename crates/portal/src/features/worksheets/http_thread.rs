//! Talking about a work order, and having read it.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiResult, Json, Path, Problem, Routes, SignedIn, routes};

use super::form::{WorksheetReply, WorksheetSeen};
use super::model::WorksheetDetail;
use super::{changes, service, store_thread, view};
use crate::Portal;
use crate::features::logs::Acting;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(reply)).routes(routes!(read))
}

/// 回复工单
///
/// Says something, and steps to another state with it where one is given. An administrator who
/// answers an unhandled order becomes its handler.
#[utoipa::path(post, path = "/api/worksheets/{id}/replies", operation_id = "worksheets_reply", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetReply,
    responses((status = 200, body = WorksheetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn reply(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<WorksheetReply>,
) -> ApiResult<Json<WorksheetDetail>> {
    let one = changes::reply(&portal, &by, &id, form).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// 记下读到哪里
///
/// Notes how much of an order its reader has seen.
#[utoipa::path(put, path = "/api/worksheets/{id}/read", operation_id = "worksheets_read", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetSeen,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn read(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Json(seen): Json<WorksheetSeen>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let (one, _) = service::known(&tx, &actor, &id).await?;
    store_thread::note_seen(&tx, &id, actor.id, seen.news.min(one.news)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
