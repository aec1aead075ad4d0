//! The rights to work orders.

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::model::{Worksheet, WorksheetDecision};
use super::state::WorksheetState;

/// The actor's relation to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Administrator,
    Requester,
    /// Leads a group that its requester is in and was in when they filed it: sees it and comments.
    Leader,
}

/// Returns the actor's relation to the order. Other people's orders answer 404. `leads`: whether the actor leads a
/// group that its requester was in already.
pub(super) fn standing(actor: &Actor, one: &Worksheet, leads: bool) -> ApiResult<Standing> {
    if actor.is_admin() {
        Ok(Standing::Administrator)
    } else if one.requester.id == actor.id {
        Ok(Standing::Requester)
    } else if leads {
        Ok(Standing::Leader)
    } else {
        Err(not_found())
    }
}

/// Also for other people's orders.
pub(super) fn not_found() -> ApiError {
    ApiError::not_found("工单")
}

/// Changes other than comments.
pub(super) fn may_change(standing: Standing) -> ApiResult<()> {
    match standing {
        Standing::Administrator | Standing::Requester => Ok(()),
        Standing::Leader => Err(ApiError::conflict("not_requester", "组长只能查看和回复组员的工单")),
    }
}

/// Only the requester may change a request, until it is decided.
pub(super) fn may_rewrite(actor: &Actor, one: &Worksheet) -> ApiResult<()> {
    if one.requester.id != actor.id {
        return Err(ApiError::conflict("not_requester", "工单的内容只能由申请人修改"));
    }
    if one.state.is_open() && one.decision.is_none() {
        Ok(())
    } else {
        Err(ApiError::conflict("worksheet_closed", "已处理完的工单不能修改"))
    }
}

/// A change of the state. 409 names the present state, because another user may just have changed it.
pub(super) fn may_step(standing: Standing, one: &Worksheet, to: WorksheetState) -> ApiResult<()> {
    let from = one.state;
    let may = match standing {
        Standing::Administrator => from.administrator_may_step(to),
        Standing::Requester => from.requester_may_step(to, one.figures.are_there() && one.decision.is_none()),
        Standing::Leader => false,
    };
    if may {
        Ok(())
    } else {
        let message = format!("工单现在是“{}”，不能改为“{}”", from.label(), to.label());
        Err(ApiError::conflict("worksheet_state", message))
    }
}

/// Closed orders get no replies.
pub(super) fn may_reply(one: &Worksheet) -> ApiResult<()> {
    if one.state == WorksheetState::Closed {
        Err(ApiError::conflict("worksheet_closed", "工单已关闭，不能再回复"))
    } else {
        Ok(())
    }
}

/// Administrators may delete any order; requesters only unhandled ones.
pub(super) fn may_delete(standing: Standing, one: &Worksheet) -> ApiResult<()> {
    may_change(standing)?;
    if standing == Standing::Administrator || (one.state == WorksheetState::Undo && one.handler.is_none()) {
        Ok(())
    } else {
        Err(ApiError::conflict("worksheet_handled", "已有人处理的工单不能删除，可以关闭"))
    }
}

/// A request with figures is decided on once.
pub(super) fn may_decide(one: &Worksheet) -> ApiResult<()> {
    if !one.figures.are_there() {
        return Err(ApiError::conflict("worksheet_without_figures", "该类型的工单不需要审批，请直接处理"));
    }
    if let Some(decision) = one.decision {
        let who = one.handler.as_ref().map_or("", |handler| handler.username.as_str());
        let what = if decision == WorksheetDecision::Approved { "批准" } else { "驳回" };
        return Err(ApiError::conflict("worksheet_decided", format!("该工单已由 {who} {what}")));
    }
    if one.state.is_open() {
        Ok(())
    } else {
        Err(ApiError::conflict("worksheet_state", format!("工单现在是“{}”，不能审批", one.state.label())))
    }
}
