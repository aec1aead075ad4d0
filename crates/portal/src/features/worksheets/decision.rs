//! Decisions about requests with figures. An approval and its change are one transaction.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::figures::{WorksheetCards, WorksheetQuotas};
use super::form::{WorksheetApproval, WorksheetRejection};
use super::model::{NewEntry, Worksheet, WorksheetDecision, WorksheetEntryKind};
use super::{policy, service, store};
use crate::Portal;
use crate::features::allocations::{self, Mode};
use crate::features::logs::Acting;
use crate::features::notices::Event;
use crate::features::users;
use crate::lab_time;

/// Makes the requested change and completes the order.
///
/// # Errors
/// 409 if there is nothing to decide, 422 for invalid figures, and those of the change.
pub(super) async fn approve(portal: &Portal, by: &Acting, id: &str, form: WorksheetApproval) -> ApiResult<Worksheet> {
    let tx = portal.db().begin().await?;
    let (mut one, _) = service::held(&tx, &by.actor, id).await?;
    policy::may_decide(&one)?;
    let figures = one.figures.replaced(form.quotas, form.cards.as_ref());
    let mut faults = form.faults(one.kind, by.at);
    faults.extend(figures.faults(one.kind, by.at));
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let done = match (figures.quotas, &figures.cards) {
        (Some(quotas), _) => set_quotas(&tx, by, &one, quotas, form.quotas_until).await?,
        (None, Some(cards)) => allocate(&tx, by, &one, cards).await?,
        (None, None) => String::new(),
    };
    if !form.comment.trim().is_empty() {
        let comment = NewEntry::plain(WorksheetEntryKind::Reply, form.comment.trim().to_owned());
        service::say(&tx, by, &mut one, comment).await?;
    }
    service::decide(&tx, by, &mut one, WorksheetDecision::Approved, done.clone()).await?;
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.approve", one.heading(), done).await?;
    let concerned = service::concerned(&tx, &one).await?;
    let told = service::notify(&tx, by, &one, &[Event::WorksheetDecided], concerned, "批准了申请").await?;
    service::tell_after(portal, tx, &one, &told).await?;
    Ok(one)
}

/// Closes the order without a change.
///
/// # Errors
/// 409 if there is nothing to decide, 422 without a valid reason.
pub(super) async fn reject(portal: &Portal, by: &Acting, id: &str, form: WorksheetRejection) -> ApiResult<Worksheet> {
    let faults = form.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let tx = portal.db().begin().await?;
    let (mut one, _) = service::held(&tx, &by.actor, id).await?;
    policy::may_decide(&one)?;
    let reason = form.reason.trim().to_owned();
    service::decide(&tx, by, &mut one, WorksheetDecision::Rejected, reason.clone()).await?;
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.reject", one.heading(), reason).await?;
    let concerned = service::concerned(&tx, &one).await?;
    let told = service::notify(&tx, by, &one, &[Event::WorksheetDecided], concerned, "驳回了申请").await?;
    service::tell_after(portal, tx, &one, &told).await?;
    Ok(one)
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
