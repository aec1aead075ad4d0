//! Steps that several calls share, each within the caller's transaction.

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::model::{Named, NewEntry, Worksheet, WorksheetDecision, WorksheetEntryKind};
use super::policy::{self, Standing};
use super::state::WorksheetState;
use super::{store, store_thread};
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::groups;
use crate::features::logs::Acting;
use crate::features::notices::{
    self, Event, GroupNotice, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind, WorksheetNotice,
};

/// The most entries of a thread, which is read at once.
pub(super) const MOST_ENTRIES: i64 = 500;

/// An order that the actor may see.
pub(super) async fn known(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<(Worksheet, Standing)> {
    let one = store::by_id(db, id, actor.id).await?.ok_or_else(policy::not_found)?;
    let leads = !actor.is_admin() && groups::leads_since(db, actor.id, one.requester.id, one.created).await?;
    let standing = policy::standing(actor, &one, leads)?;
    Ok((one, standing))
}

/// Like [`known`], with a lock on the order.
pub(super) async fn held(tx: &Tx, actor: &Actor, id: &str) -> ApiResult<(Worksheet, Standing)> {
    tx.serialize(&format!("worksheet {id}")).await?;
    known(tx, actor, id).await
}

/// Adds to the thread. Its author has seen everything so far.
pub(super) async fn say(tx: &Tx, by: &Acting, one: &mut Worksheet, entry: NewEntry) -> ApiResult<()> {
    if one.news >= MOST_ENTRIES && entry.kind == WorksheetEntryKind::Reply {
        return Err(ApiError::conflict("worksheet_full", "该工单的回复太多，请新建工单"));
    }
    store_thread::add(tx, &one.id, &by.actor, by.at, &entry).await?;
    one.news += 1;
    one.seen = one.news;
    one.updated = by.at;
    store_thread::note_seen(tx, &one.id, by.actor.id, one.news).await?;
    Ok(())
}

/// Steps to another state, which the thread shows.
pub(super) async fn step(
    tx: &Tx,
    by: &Acting,
    standing: Standing,
    one: &mut Worksheet,
    to: WorksheetState,
) -> ApiResult<()> {
    let from = one.state;
    policy::may_step(standing, one, to)?;
    one.state = to;
    if standing == Standing::Administrator && to != WorksheetState::Undo && one.handler.is_none() {
        one.handler = Some(Named::of(&by.actor));
    }
    // A refused request may be decided again when it is reopened; a granted one may not.
    if to.is_open() && one.decision == Some(WorksheetDecision::Rejected) {
        one.decision = None;
    }
    let entry = NewEntry::plain(WorksheetEntryKind::State, String::new());
    say(tx, by, one, NewEntry { step: Some((from, to)), ..entry }).await
}

/// Approves or refuses a request with figures.
pub(super) async fn decide(
    tx: &Tx,
    by: &Acting,
    one: &mut Worksheet,
    decision: WorksheetDecision,
    content: String,
) -> ApiResult<()> {
    let from = one.state;
    let (kind, to) = match decision {
        WorksheetDecision::Approved => (WorksheetEntryKind::Approved, WorksheetState::Done),
        WorksheetDecision::Rejected => (WorksheetEntryKind::Rejected, WorksheetState::Closed),
    };
    one.state = to;
    one.decision = Some(decision);
    one.handler = Some(Named::of(&by.actor));
    say(tx, by, one, NewEntry { step: Some((from, to)), ..NewEntry::plain(kind, content) }).await
}

/// Notifies of an event of an order: outside, by the first of these events that the settings want, and these people,
/// except the actor. The content of an order is only shown in the portal.
pub(super) async fn notify(
    tx: &Tx,
    by: &Acting,
    one: &Worksheet,
    events: &[Event],
    recipients: Recipients,
    what: impl Into<String>,
) -> ApiResult<Told> {
    let what = what.into();
    let words = format!("{} {what}", by.actor.username);
    let notice = GroupNotice::Worksheet(WorksheetNotice {
        id: one.id.clone(),
        number: one.number,
        title: one.title.clone(),
        requester: one.requester.username.clone(),
        by: by.actor.username.clone(),
        what,
    });
    notices::to_group(tx, by.at, events, &notice).await?;
    let kind = match events.first() {
        Some(Event::WorksheetCreated) => UserNoticeKind::WorksheetCreated,
        Some(Event::WorksheetDecided) => UserNoticeKind::WorksheetDecided,
        Some(Event::WorksheetState) => UserNoticeKind::WorksheetState,
        _ => UserNoticeKind::WorksheetReplied,
    };
    let new = new_notice(one, kind, words);
    notices::tell(tx, by.at, &recipients.but(by.actor.id), &new).await
}

/// Notifies an administrator of an order assigned to them.
pub(super) async fn tell_handler(tx: &Tx, by: &Acting, one: &Worksheet) -> ApiResult<Told> {
    let handler = one.handler.iter().map(|handler| handler.id);
    let new = new_notice(one, UserNoticeKind::WorksheetAssigned, format!("{} 请你处理这个工单", by.actor.username));
    notices::tell(tx, by.at, &Recipients::people(handler).but(by.actor.id), &new).await
}

fn new_notice(one: &Worksheet, kind: UserNoticeKind, words: String) -> NewNotice {
    NewNotice {
        kind,
        object: NoticeObject::Worksheet,
        object_id: one.id.clone(),
        title: format!("工单 #{} {}", one.number, one.title),
        words,
        link: format!("/profile/worksheet?one={}", one.id),
    }
}

/// The recipients of an order's notices: the requester and the handler, or all administrators while there is no
/// handler.
pub(super) async fn concerned(tx: &Tx, one: &Worksheet) -> ApiResult<Recipients> {
    let handler = one.handler.iter().map(|handler| handler.id);
    let people = Recipients::people(std::iter::once(one.requester.id).chain(handler));
    if one.handler.is_some() { Ok(people) } else { people.and_administrators(tx).await }
}

/// Commits the changes and notifies the pages of the users concerned.
pub(super) async fn tell_after(portal: &Portal, tx: Tx, one: &Worksheet, told: &Told) -> ApiResult<()> {
    tx.commit().await?;
    portal.tell_pages(Audience::AdministratorsAnd(one.requester.id), Message::Worksheets);
    portal.tell_noticed(told);
    Ok(())
}
