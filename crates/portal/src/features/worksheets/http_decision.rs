//! Approving and refusing requests with figures. An approval and its change are one transaction.

use axum::extract::State;
use db_kit::Tx;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Timestamp;

use super::figures::{WorksheetCards, WorksheetQuotas};
use super::form::{WorksheetApproval, WorksheetRejection};
use super::model::{NewEntry, Worksheet, WorksheetDecision, WorksheetDetail, WorksheetEntryKind};
use super::service;
use super::{policy, store, view};
use crate::Portal;
use crate::features::allocations::{self, Mode};
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::notices::Event;
use crate::features::users;
use crate::lab_time;

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
    let tx = portal.db().begin().await?;
    let (mut one, _) = service::held(&tx, &by.actor, &id).await?;
    policy::may_decide(&one)?;
    let figures = one.figures.replaced(form.quotas, form.cards.as_ref());
    let mut faults = form.faults(one.kind, by.at);
    faults.extend(figures.faults(one.kind, by.at));
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let done = match (figures.quotas, &figures.cards) {
        (Some(quotas), _) => set_quotas(&tx, &by, &one, quotas, form.quotas_until).await?,
        (None, Some(cards)) => allocate(&tx, &by, &one, cards).await?,
        (None, None) => String::new(),
    };
    if !form.comment.trim().is_empty() {
        let comment = NewEntry::plain(WorksheetEntryKind::Reply, form.comment.trim().to_owned());
        service::say(&tx, &by, &mut one, comment).await?;
    }
    service::decide(&tx, &by, &mut one, WorksheetDecision::Approved, done.clone()).await?;
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.approve", one.heading(), done).await?;
    let concerned = service::concerned(&tx, &one).await?;
    let told = service::notify(&tx, &by, &one, &[Event::WorksheetDecided], concerned, "批准了申请").await?;
    service::tell_after(&portal, tx, &one, &told).await?;
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
    let faults = form.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let tx = portal.db().begin().await?;
    let (mut one, _) = service::held(&tx, &by.actor, &id).await?;
    policy::may_decide(&one)?;
    let reason = form.reason.trim().to_owned();
    service::decide(&tx, &by, &mut one, WorksheetDecision::Rejected, reason.clone()).await?;
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.reject", one.heading(), reason).await?;
    let concerned = service::concerned(&tx, &one).await?;
    let told = service::notify(&tx, &by, &one, &[Event::WorksheetDecided], concerned, "驳回了申请").await?;
    service::tell_after(&portal, tx, &one, &told).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// Sets the quotas; returns the change in words.
async fn set_quotas(
    tx: &Tx,
    by: &Acting,
    one: &Worksheet,
    quotas: WorksheetQuotas,
    until: Option<Timestamp>,
) -> ApiResult<String> {
    users::hold(tx, one.requester.id).await?;
    let before = users::quotas_of(tx, one.requester.id).await?;
    let said = before.changes(quotas.over(before));
    let detail = format!("工单 #{}：{said}", one.number);
    let Some(until) = until else {
        users::set_quotas(tx, by, one.requester.id, quotas.change(), detail).await?;
        return Ok(said);
    };
    users::grant_quotas(tx, by, one.requester.id, quotas.change(), until, detail).await?;
    Ok(format!("{said}，到{}恢复原来的配额", lab_time::in_words(until)))
}

/// Creates the allocation; returns it in words.
async fn allocate(tx: &Tx, by: &Acting, one: &Worksheet, cards: &WorksheetCards) -> ApiResult<String> {
    let Some(server) = &cards.server else { return Err(ApiError::field("cards.server", "请选择服务器")) };
    if cards.mode == Mode::Exclusive && cards.gpus.is_empty() {
        return Err(ApiError::field("cards.gpus", "独占时请指定显卡，否则整台服务器都归申请人"));
    }
    let form = cards.allocation(server, one.requester.id, format!("工单 #{}", one.number));
    let made = allocations::create(tx, by, form).await.map_err(|error| error.below("cards"))?;
    Ok(format!("服务器 {}：{}", made.server_name, allocations::in_words(&made)))
}
