//! Talking about a work order, and having read it.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};

use super::form::{WorksheetReply, WorksheetSeen};
use super::model::{NewEntry, WorksheetDetail, WorksheetEntryKind};
use super::policy::{self, Standing};
use super::service;
use super::state::WorksheetState;
use super::{known, store, store_thread, view};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::notices::Event;

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
    let faults = form.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    known::attachments(&portal, &by.actor, &form.attachments).await?;
    let tx = portal.db().begin().await?;
    let (mut one, standing) = service::held(&tx, &by.actor, &id).await?;
    policy::may_reply(&one)?;
    let entry = NewEntry {
        kind: WorksheetEntryKind::Reply,
        content: form.content.trim().to_owned(),
        attachments: form.attachments.into_iter().map(|file| file.kept(&by.actor)).collect(),
        step: None,
    };
    let own = one.requester.id == by.actor.id;
    let taken_up = standing == Standing::Administrator && !own && one.state == WorksheetState::Undo;
    let state = form.state.or(taken_up.then_some(WorksheetState::Doing));
    service::say(&tx, &by, &mut one, entry).await?;
    if let Some(state) = state {
        service::step(&tx, &by, standing, &mut one, state).await?;
    }
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.reply", one.heading(), state.map_or("", WorksheetState::label)).await?;
    // One message for the reply and the state.
    let people = service::concerned(&tx, &one).await?;
    let told = match state {
        Some(state) => {
            let what = format!("回复了工单，状态改为{}", state.label());
            service::notify(&tx, &by, &one, &[Event::WorksheetReplied, Event::WorksheetState], people, what).await?
        }
        None => service::notify(&tx, &by, &one, &[Event::WorksheetReplied], people, "回复了工单").await?,
    };
    service::tell_after(&portal, tx, &one, &told).await?;
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
