//! Approving and refusing requests with figures.

use axum::extract::State;
use http_kit::{ApiResult, Json, Path, Problem, Routes, routes};

use super::form::{WorksheetApproval, WorksheetRejection};
use super::model::WorksheetDetail;
use super::{decision, view};
use crate::Portal;
use crate::features::logs::ActingAdministrator;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(approve)).routes(routes!(reject))
}

/// 批准申请并生效
///
/// Approves a request: sets the quotas or makes the allocation that is given here or, where nothing is, that was asked
/// for, and is done.
#[utoipa::path(post, path = "/api/worksheets/{id}/approve", operation_id = "worksheets_approve", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetApproval,
    responses((status = 200, body = WorksheetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn approve(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<WorksheetApproval>,
) -> ApiResult<Json<WorksheetDetail>> {
    let one = decision::approve(&portal, &by, &id, form).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// 驳回申请
///
/// Refuses a request, which closes it.
#[utoipa::path(post, path = "/api/worksheets/{id}/reject", operation_id = "worksheets_reject", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetRejection,
    responses((status = 200, body = WorksheetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn reject(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<WorksheetRejection>,
) -> ApiResult<Json<WorksheetDetail>> {
    let one = decision::reject(&portal, &by, &id, form).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}
