//! Making, changing and deleting orders, each in one transaction with its notices.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, UserId};

use super::form::{WorksheetChange, WorksheetForm, WorksheetReply};
use super::model::{Named, NewEntry, Worksheet, WorksheetEntryKind};
use super::policy::{self, Standing};
use super::state::WorksheetState;
use super::{known, service, store, store_thread};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::notices::{Event, Recipients, Told};
use crate::features::{instances, users};
use crate::instance_name::owner_of;

/// The most open orders of one user.
const MOST_OPEN: i64 = 20;

/// Makes an order of the actor's.
///
/// # Errors
/// 409 if the actor has too many that are open, 422 for an invalid form.
pub(super) async fn create(portal: &Portal, by: &Acting, form: WorksheetForm) -> ApiResult<Worksheet> {
    let at = by.at;
    let faults = form.faults(at);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    known::attachments(portal, &by.actor, &form.attachments).await?;
    let tx = portal.db().begin().await?;
    known::cards(&tx, form.cards.as_ref()).await?;
    // Two at once must not both be the last that fits.
    tx.serialize(&format!("worksheets of {}", by.actor.id)).await?;
    if store::count_open(&tx, Some(by.actor.id)).await? >= MOST_OPEN {
        let message = format!("最多同时有 {MOST_OPEN} 个未完成的工单，请先等待处理或关闭不需要的");
        return Err(ApiError::conflict("worksheet_limit", message));
    }
    let instance = match &form.instance {
        Some(id) => own_instance(&tx, &by.actor, id).await?,
        None => String::new(),
    };
    let mut one = Worksheet {
        number: 0,
        id: uuid::Uuid::now_v7().to_string(),
        kind: form.kind,
        title: form.title.trim().to_owned(),
        figures: form.figures(),
        attachments: form.attachments.into_iter().map(|file| file.kept(&by.actor)).collect(),
        content: form.content.trim().to_owned(),
        state: WorksheetState::Undo,
        priority: form.priority,
        requester: Named::of(&by.actor),
        handler: None,
        instance_id: form.instance.unwrap_or_default(),
        instance,
        decision: None,
        news: 0,
        seen: 0,
        created: at,
        updated: at,
    };
    one.number = store::insert(&tx, &one).await?;
    store_thread::note_seen(&tx, &one.id, by.actor.id, one.news).await?;
    by.record(&tx, "worksheet.create", one.heading(), "").await?;
    let what = format!("提交了工单，优先级{}", one.priority.label());
    let people = Recipients::default().and_administrators(&tx).await?.and_leaders_since(&tx, by.actor.id, at).await?;
    let told = service::notify(&tx, by, &one, &[Event::WorksheetCreated], people, what).await?;
    service::tell_after(portal, tx, &one, &told).await?;
    Ok(one)
}

/// Changes what is given.
///
/// # Errors
/// 404 if the actor may not see it, 409 if it is not open to the change, 422 for an invalid form.
pub(super) async fn change(portal: &Portal, by: &Acting, id: &str, form: WorksheetChange) -> ApiResult<Worksheet> {
    let tx = portal.db().begin().await?;
    let (mut one, standing) = service::held(&tx, &by.actor, id).await?;
    policy::may_change(standing)?;
    let mut changed = Vec::new();
    if form.is_of_the_request() {
        policy::may_rewrite(&by.actor, &one)?;
        rewrite(&mut one, &form, by)?;
        known::cards(&tx, form.cards.as_ref()).await?;
        changed.push("修改了申请内容".to_owned());
    }
    if let Some(priority) = form.priority.filter(|priority| *priority != one.priority) {
        one.priority = priority;
        changed.push(format!("优先级改为{}", priority.label()));
    }
    let assigned = match form.handler {
        Some(handler) => assign(&tx, standing, &mut one, handler).await?,
        None => None,
    };
    let mut told = if assigned.is_some() { service::tell_handler(&tx, by, &one).await? } else { Told::default() };
    changed.extend(assigned);
    let said = changed.join("，");
    if !said.is_empty() {
        service::say(&tx, by, &mut one, NewEntry::plain(WorksheetEntryKind::Changed, said.clone())).await?;
    }
    let before = one.state;
    if let Some(state) = form.state {
        service::step(&tx, by, standing, &mut one, state).await?;
    }
    store::save(&tx, &one).await?;
    let stepped = (before != one.state).then(|| format!("{} → {}", before.label(), one.state.label()));
    if let Some(stepped) = &stepped {
        let what = format!("改变了状态：{stepped}");
        let people = service::concerned(&tx, &one).await?;
        told = told.and(service::notify(&tx, by, &one, &[Event::WorksheetState], people, what).await?);
    }
    let detail: Vec<String> = [Some(said).filter(|said| !said.is_empty()), stepped].into_iter().flatten().collect();
    by.record(&tx, "worksheet.update", one.heading(), detail.join("，")).await?;
    service::tell_after(portal, tx, &one, &told).await?;
    Ok(one)
}

/// Adds a reply to the thread, and the step to another state with it, if there is one. An administrator who answers an
/// unhandled order becomes its handler.
///
/// # Errors
/// 404 if the actor may not see it, 409 if it takes no replies, 422 for an invalid form.
pub(super) async fn reply(portal: &Portal, by: &Acting, id: &str, form: WorksheetReply) -> ApiResult<Worksheet> {
    let faults = form.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    known::attachments(portal, &by.actor, &form.attachments).await?;
    let tx = portal.db().begin().await?;
    let (mut one, standing) = service::held(&tx, &by.actor, id).await?;
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
    service::say(&tx, by, &mut one, entry).await?;
    if let Some(state) = state {
        service::step(&tx, by, standing, &mut one, state).await?;
    }
    store::save(&tx, &one).await?;
    by.record(&tx, "worksheet.reply", one.heading(), state.map_or("", WorksheetState::label)).await?;
    // One message for the reply and the state.
    let people = service::concerned(&tx, &one).await?;
    let told = match state {
        Some(state) => {
            let what = format!("回复了工单，状态改为{}", state.label());
            service::notify(&tx, by, &one, &[Event::WorksheetReplied, Event::WorksheetState], people, what).await?
        }
        None => service::notify(&tx, by, &one, &[Event::WorksheetReplied], people, "回复了工单").await?,
    };
    service::tell_after(portal, tx, &one, &told).await?;
    Ok(one)
}

/// Deletes an order with its thread.
///
/// # Errors
/// 404 if the actor may not see it, 409 if it is handled already and the actor no administrator.
pub(super) async fn delete(portal: &Portal, by: &Acting, id: &str) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    let (one, standing) = service::held(&tx, &by.actor, id).await?;
    policy::may_delete(standing, &one)?;
    store::delete(&tx, id).await?;
    by.record(&tx, "worksheet.delete", one.heading(), format!("申请人 {}", one.requester.username)).await?;
    service::tell_after(portal, tx, &one, &Told::default()).await
}

/// The name of an open instance of the actor's own.
async fn own_instance(tx: &Tx, actor: &Actor, id: &str) -> ApiResult<String> {
    let open = instances::occupants(tx).await?;
    let own = open.into_iter().find(|one| one.id == id && owner_of(&one.name) == Some(&actor.username));
    own.map(|one| one.name).ok_or_else(|| ApiError::field("instance", "实例不存在，或已经释放"))
}

/// Replaces the requester's part of an order.
fn rewrite(one: &mut Worksheet, form: &WorksheetChange, by: &Acting) -> ApiResult<()> {
    let figures = one.figures.replaced(form.quotas, form.cards.as_ref());
    let mut faults = form.faults();
    faults.extend(figures.faults(one.kind, by.at));
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    one.figures = figures;
    if let Some(title) = &form.title {
        title.trim().clone_into(&mut one.title);
    }
    if let Some(content) = &form.content {
        content.trim().clone_into(&mut one.content);
    }
    Ok(())
}

/// Assigns an order to an administrator; returns the thread's text if that changed anything.
async fn assign(tx: &Tx, standing: Standing, one: &mut Worksheet, handler: UserId) -> ApiResult<Option<String>> {
    if standing != Standing::Administrator {
        return Err(ApiError::field("handler", "只有管理员可以指派处理人"));
    }
    let username = users::administrator_name(tx, handler).await?;
    let username = username.ok_or_else(|| ApiError::field("handler", "处理人应为启用的管理员"))?;
    if one.handler.as_ref().is_some_and(|present| present.id == handler) {
        return Ok(None);
    }
    let said = format!("处理人改为 {username}");
    one.handler = Some(Named { id: handler, username });
    Ok(Some(said))
}
