//! Starting a departure: a validated plan becomes rows of items.

use std::collections::{HashMap, HashSet};

use background::NewJob;
use db_kit::{DbResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};
use uuid::Uuid;

use super::model::{Departure, DepartureForm, DepartureHoldings, DeparturePlan, DepartureState, DepartureTime};
use super::policy::{self, Receivers};
use super::{JOB_KIND, holdings, store, store_items};
use crate::features::accounts::{self, SwitchedOff};
use crate::features::logs::Acting;
use crate::features::users;
use crate::jobs::JOBS;

/// The outcome of an administrator's request.
#[must_use = "servers of stopped instances are to be woken after the commit"]
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) id: String,
    /// The sessions and instances that ended with the account, if the departure starts now.
    pub(super) off: Option<SwitchedOff>,
}

/// Starts a user's departure now, or plans it for the end of their account.
///
/// # Errors
/// 404 without such an account, 409 when the user is leaving already, has other things than were shown, is the caller
/// or the last administrator, 422 when the plan is invalid.
pub(super) async fn want(tx: &Tx, by: &Acting, form: &DepartureForm) -> ApiResult<Wanted> {
    hold(tx, form.user).await?;
    let held = holdings::of(tx, form.user).await?;
    let planned = match &held.departure {
        Some(open) if open.state != DepartureState::Planned => return Err(leaves_already(open)),
        planned => planned.as_ref().map(|one| one.id.clone()),
    };
    if form.user == by.actor.id {
        return Err(ApiError::conflict("self_delete", "不能删除自己的账号"));
    }
    if held.stamp != form.stamp {
        return Err(ApiError::conflict("holdings_changed", "此人的实例、数据集、镜像或用户组刚刚变化，请核对后再提交"));
    }
    let names = check(tx, &form.plan, &held).await?;
    if form.when == DepartureTime::AtEnd && held.ends_at.is_none() {
        return Err(ApiError::field("when", "账号没有到期时间，请先设置"));
    }
    if let Some(planned) = planned {
        store::cancel(tx, &planned).await?;
    }
    let now = form.when == DepartureTime::Now;
    let one = departure(by, form, &held, now);
    store::insert(tx, &one).await?;
    let action = if now { "departure.start" } else { "departure.plan" };
    by.record(tx, action, one.user.username.clone(), in_words(&form.plan, &held)).await?;
    if !now {
        return Ok(Wanted { id: one.id, off: None });
    }
    let off = accounts::switch_off(tx, by, form.user).await?;
    begin(tx, &one, &held, &names, by.at).await?;
    Ok(Wanted { id: one.id, off: Some(off) })
}

/// Locks a user's departure until the transaction ends. Taken before the locks of accounts and reservations.
///
/// # Errors
/// If the database fails.
pub(super) async fn hold(tx: &Tx, user: UserId) -> DbResult<()> {
    tx.serialize(&format!("departure of {user}")).await
}

/// Begins the departure that waits for the end of an account; `false` when no such plan exists. The account has been
/// disabled before, and the caller has taken [`hold`].
///
/// # Errors
/// If the database fails.
pub(super) async fn start_planned(tx: &Tx, user: UserId, now: Timestamp) -> ApiResult<bool> {
    let held = holdings::of(tx, user).await?;
    let Some(one) = &held.departure else { return Ok(false) };
    if !store::step(tx, &one.id, DepartureState::Planned, DepartureState::Running, now).await? {
        return Ok(false);
    }
    // A receiver who was deleted or disabled since then fails the items that they were to receive.
    let people = users::public_by_ids(tx, &one.plan.receivers()).await?;
    let names: HashMap<UserId, String> = people.into_iter().map(|person| (person.id, person.username)).collect();
    begin(tx, one, &held, &names, now).await?;
    Ok(true)
}

/// Applies another plan to the items that failed or have not begun, and adds items for things that came later if the
/// plan names them, since its defaults were not chosen for them. The caller holds [`hold`].
///
/// # Errors
/// 422 when the plan is invalid.
pub(super) async fn replan(tx: &Tx, one: &Departure, plan: &DeparturePlan, now: Timestamp) -> ApiResult<()> {
    let held = holdings::of(tx, one.user.id).await?;
    let plan = &policy::held_part(plan, &held);
    let names = check(tx, plan, &held).await?;
    let items = store_items::of(tx, &one.id).await?;
    let mut later = holdings::items(&held, plan);
    later.retain(|new| {
        let is_named = plan.exceptions.iter().any(|named| named.kind == new.kind && named.object == new.object);
        is_named && !items.iter().any(|known| known.kind == new.kind && known.object == new.object)
    });
    let last = items.last().map_or(0, |item| item.number);
    store_items::insert(tx, &one.id, &later, last, &names, now).await?;
    for item in items {
        let choice = plan.of(item.kind, &item.object);
        let receiver = choice.receiver.and_then(|id| names.get(&id)).map(String::as_str).unwrap_or_default();
        store_items::set_choice(tx, &one.id, item.number, choice, receiver).await?;
    }
    store::set_plan(tx, &Departure { plan: plan.clone(), ..one.clone() }).await?;
    Ok(())
}

async fn check(tx: &Tx, plan: &DeparturePlan, held: &DepartureHoldings) -> ApiResult<HashMap<UserId, String>> {
    let wanted = plan.receivers();
    let names = names_of(tx, &wanted).await?;
    let active: HashSet<UserId> = names.keys().copied().collect();
    let leaving = store::leaving_among(tx, &wanted).await?;
    let faults = policy::faults(plan, held, Receivers { active: &active, leaving: &leaving });
    if faults.is_empty() { Ok(names) } else { Err(ApiError::invalid(faults)) }
}

async fn names_of(db: &impl Sql, people: &[UserId]) -> ApiResult<HashMap<UserId, String>> {
    let active = users::active_among(db, people).await?;
    Ok(active.into_iter().map(|person| (person.id, person.username)).collect())
}

async fn begin(
    tx: &Tx,
    one: &Departure,
    held: &DepartureHoldings,
    names: &HashMap<UserId, String>,
    now: Timestamp,
) -> ApiResult<()> {
    store_items::insert(tx, &one.id, &holdings::items(held, &one.plan), 0, names, now).await?;
    add_job(tx, &one.id, one.by_id, now).await
}

/// Adds the departure to the job table.
pub(super) async fn add_job(tx: &Tx, id: &str, owner: UserId, now: Timestamp) -> ApiResult<()> {
    let job = NewJob { id, kind: JOB_KIND.0, owner: Some(owner), runner: "", due: now };
    Ok(JOBS.add(tx, job, now).await?)
}

fn departure(by: &Acting, form: &DepartureForm, held: &DepartureHoldings, now: bool) -> Departure {
    Departure {
        id: Uuid::now_v7().to_string(),
        user: held.user.clone(),
        state: if now { DepartureState::Running } else { DepartureState::Planned },
        plan: form.plan.clone(),
        by: by.actor.username.clone(),
        by_id: by.actor.id,
        address: by.address.to_string(),
        created: by.at,
        started: now.then_some(by.at),
        ended: None,
        total: 0,
        done: 0,
        failed: 0,
    }
}

fn leaves_already(open: &Departure) -> ApiError {
    let message =
        format!("{} 已由 {} 办理离开（{}），请到“人员离开”查看", open.user.username, open.by, open.state.label());
    ApiError::conflict("departure_exists", message)
}

fn in_words(plan: &DeparturePlan, held: &DepartureHoldings) -> String {
    format!(
        "{} 个实例、{} 个数据集、{} 个镜像、{} 个用户组；{} 项单独处理",
        held.instances.len(),
        held.datasets.len(),
        held.images.len(),
        held.groups.len(),
        plan.exceptions.len()
    )
}
