//! `/api/worksheets` (SPEC §7): asking, looking, changing.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};

use super::form::{WorksheetChange, WorksheetForm};
use super::model::{WorksheetDetail, WorksheetList, WorksheetQuery};
use super::{changes, http_decision, http_thread, service, store, view};
use crate::Portal;
use crate::features::logs::Acting;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .merge(http_thread::routes())
        .merge(http_decision::routes())
}

/// 工单列表
///
/// Work orders: the caller's own and those filed by members of groups that the caller leads; all for administrators.
#[utoipa::path(get, path = "/api/worksheets", operation_id = "worksheets_list", tag = "worksheets",
    params(WorksheetQuery),
    responses((status = 200, body = WorksheetList), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: WorksheetQuery,
) -> ApiResult<Json<WorksheetList>> {
    let db = portal.db();
    let found = store::list(db, &actor, &query).await?;
    Ok(Json(WorksheetList {
        undo_total: store::count_open(db, (!actor.is_admin()).then_some(actor.id)).await?,
        unread: store::count_unread(db, actor.id).await?,
        total: found.total,
        counts: found.counts,
        worksheets: view::shown(db, &actor, found.worksheets).await?,
    }))
}

/// 一张工单和它的对话
///
/// One order with its thread.
#[utoipa::path(get, path = "/api/worksheets/{id}", operation_id = "worksheets_get", tag = "worksheets",
    params(("id" = String, Path)),
    responses((status = 200, body = WorksheetDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<WorksheetDetail>> {
    let (one, _) = service::known(portal.db(), &actor, &id).await?;
    Ok(Json(view::detail(portal.db(), &actor, one).await?))
}

/// 提交工单
///
/// Asks for something.
#[utoipa::path(post, path = "/api/worksheets", operation_id = "worksheets_create", tag = "worksheets",
    request_body = WorksheetForm,
    responses((status = 201, body = WorksheetDetail, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn create(State(portal): State<Portal>, by: Acting, Json(form): Json<WorksheetForm>) -> ApiResult<Response> {
    let one = changes::create(&portal, &by, form).await?;
    let location = HeaderValue::from_str(&format!("/api/worksheets/{}", one.id)).map_err(ApiError::internal)?;
    let detail = view::detail(portal.db(), &by.actor, one).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(detail)).into_response())
}

/// 修改工单
///
/// Changes what is given: the text and the figures by the requester, the handler by administrators,
/// the priority and the state by both.
#[utoipa::path(put, path = "/api/worksheets/{id}", operation_id = "worksheets_update", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetChange,
    responses((status = 200, body = WorksheetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<WorksheetChange>,
) -> ApiResult<Json<WorksheetDetail>> {
    let one = changes::change(&portal, &by, &id, form).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// 删除工单
///
/// Deletes an order with its thread: administrators any, others only unhandled ones.
#[utoipa::path(delete, path = "/api/worksheets/{id}", operation_id = "worksheets_delete", tag = "worksheets",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    changes::delete(&portal, &by, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
