//! Steps that several calls share, each within the caller's transaction.

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::form::AllocationForm;
use super::model::{Allocation, AllocationView, Mode, SubjectKind};
use super::store;
use crate::events::{AfterCommit, Event};
use crate::features::logs::Acting;
use crate::features::{gpus, groups, servers, users};

/// Grants a person the use of a server.
pub(crate) async fn create(tx: &Tx, by: &Acting, form: AllocationForm) -> ApiResult<AllocationView> {
    let one = checked(tx, form, None, by.at).await?;
    store::put(tx, &one).await?;
    let view = one_shown(tx, one, by.at).await?;
    by.record(tx, "allocation.create", &view.server_name, in_words(&view)).await?;
    Ok(view)
}

/// Ends the allocations of a group that was deleted.
pub(crate) async fn hear(tx: &Tx, event: &Event) -> ApiResult<AfterCommit> {
    if let Event::GroupDeleted { group } = event {
        store::forget_group(tx, *group).await?;
    }
    Ok(AfterCommit::default())
}

/// Validates a form and returns its allocation. `old`: the allocation that it replaces.
pub(super) async fn checked(
    tx: &Tx,
    form: AllocationForm,
    old: Option<&Allocation>,
    now: Timestamp,
) -> ApiResult<Allocation> {
    let faults = form.faults(now, old.and_then(|old| old.valid_until));
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    tx.serialize("allocations").await?;
    let known = servers::all(tx).await?;
    if !known.iter().any(|server| server.id == form.server) {
        return Err(ApiError::field("server", "服务器不存在"));
    }
    let subject_known = match (form.subject, form.subject_id) {
        (SubjectKind::User, Some(id)) => !users::existing(tx, &[id]).await?.is_empty(),
        (SubjectKind::Group, Some(id)) => groups::names(tx).await?.contains_key(&id),
        _ => true,
    };
    if !subject_known {
        return Err(ApiError::field("subjectId", "用户或用户组不存在"));
    }
    let cards = gpus::ids_of_server(tx, &form.server).await?;
    if !form.gpus.iter().all(|gpu| cards.contains(gpu)) {
        return Err(ApiError::field("gpus", "有显卡不在该服务器上，请刷新后再试"));
    }
    let one = Allocation {
        id: old.map_or_else(|| uuid::Uuid::now_v7().to_string(), |old| old.id.clone()),
        server: form.server,
        subject: form.subject,
        subject_id: form.subject_id,
        mode: form.mode,
        gpus: form.gpus,
        limits: form.limits,
        valid_from: form.valid_from,
        valid_until: form.valid_until,
        note: form.note.trim().to_owned(),
        created: old.map_or(now, |old| old.created),
    };
    if one.mode == Mode::Exclusive {
        refuse_two_exclusive(tx, &one).await?;
    }
    Ok(one)
}

/// Two people can't both have a card to themselves.
async fn refuse_two_exclusive(tx: &Tx, one: &Allocation) -> ApiResult<()> {
    let collides = store::of_server(tx, &one.server).await?.into_iter().any(|other| {
        other.id != one.id
            && other.mode == Mode::Exclusive
            && (other.subject, other.subject_id) != (one.subject, one.subject_id)
            && other.overlaps_in_time(one)
            && other.overlaps_in_cards(one)
    });
    if collides {
        return Err(ApiError::conflict("allocation_exclusive", "这段时间内，这些显卡已独占分配给其他用户或用户组"));
    }
    Ok(())
}

pub(super) async fn one_shown(db: &impl Sql, one: Allocation, now: Timestamp) -> ApiResult<AllocationView> {
    shown(db, vec![one], now).await?.pop().ok_or_else(|| ApiError::not_found("分配"))
}

/// With the names of servers and people: three further queries for all of them.
pub(super) async fn shown(db: &impl Sql, found: Vec<Allocation>, now: Timestamp) -> ApiResult<Vec<AllocationView>> {
    let servers = servers::all(db).await?;
    let groups = groups::names(db).await?;
    let people: Vec<i64> =
        found.iter().filter(|one| one.subject == SubjectKind::User).filter_map(|one| one.subject_id).collect();
    let people = users::public_by_ids(db, &people).await?;
    let name_of = |one: &Allocation| match (one.subject, one.subject_id) {
        (SubjectKind::User, Some(id)) => people.iter().find(|user| user.id == id).map(|user| user.username.clone()),
        (SubjectKind::Group, Some(id)) => groups.get(&id).cloned(),
        _ => None,
    };
    let views = found.into_iter().map(|one| AllocationView {
        subject_name: name_of(&one).unwrap_or_default(),
        server_name: servers.iter().find(|server| server.id == one.server).map_or_else(String::new, |s| s.name.clone()),
        valid: one.is_valid_at(now),
        id: one.id,
        server: one.server,
        subject: one.subject,
        subject_id: one.subject_id,
        mode: one.mode,
        gpus: one.gpus,
        limits: one.limits,
        valid_from: one.valid_from,
        valid_until: one.valid_until,
        note: one.note,
        created: one.created,
    });
    Ok(views.collect())
}

/// For the operate log.
pub(crate) fn in_words(view: &AllocationView) -> String {
    let who = match view.subject {
        SubjectKind::Everyone => "所有人".to_owned(),
        SubjectKind::User => format!("用户 {}", view.subject_name),
        SubjectKind::Group => format!("用户组 {}", view.subject_name),
    };
    let mode = if view.mode == Mode::Exclusive { "独占" } else { "共享" };
    let cards = if view.gpus.is_empty() { "全部显卡".to_owned() } else { format!("{} 张显卡", view.gpus.len()) };
    format!("{who}，{mode}，{cards}")
}
