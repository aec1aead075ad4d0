//! A leader's invitations: several steps in the caller's transaction, under the lock of the group's people.

use std::collections::HashSet;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::invitation::{MOST_PENDING, OPEN_FOR, invited_notice};
use super::model::Group;
use super::store;
use super::store_invitations::{self, Known, State};
use crate::features::logs::Acting;
use crate::features::notices::{self, Recipients, Told};
use crate::features::users;

/// The result of inviting people.
#[derive(Debug, Default)]
pub(super) struct Invited {
    pub(super) count: u64,
    pub(super) told: Told,
}

/// Invites those of these people who are neither members nor invited.
pub(super) async fn invite(tx: &Tx, by: &Acting, group: &Group, people: &[UserId]) -> ApiResult<Invited> {
    let (actor, at) = (&by.actor, by.at);
    // Leaders stop their members' instances and read their orders.
    if users::has_administrator(tx, people).await? {
        return Err(ApiError::field("users", "管理员只能由管理员加入用户组"));
    }
    let members = store::members_among(tx, group.id, people).await?;
    let people: Vec<UserId> = people.iter().copied().filter(|person| !members.contains(person)).collect();
    if users::contacts(tx, &people).await?.len() != people.len() {
        return Err(ApiError::field("users", "有用户已不存在或已被禁用，请刷新后再试"));
    }
    store_invitations::tidy(tx, group.id, at).await?;
    let known = store_invitations::of_people(tx, group.id, &people).await?;
    let in_state = |state: State| known.iter().filter(move |one| one.state == state).map(|one| one.user);
    refuse_declined(tx, &in_state(State::Declined).collect::<Vec<_>>()).await?;
    let pending: HashSet<UserId> = in_state(State::Pending).collect();
    let fresh: Vec<UserId> = people.into_iter().filter(|person| !pending.contains(person)).collect();
    if fresh.is_empty() {
        return Ok(Invited::default());
    }
    if store_invitations::pending(tx, group.id).await? + fresh.len() > MOST_PENDING {
        let message = format!("一个组最多同时有 {MOST_PENDING} 个待接受的邀请，请等对方答复，或先撤回一些");
        return Err(ApiError::conflict("too_many_invitations", message).on_field("users"));
    }
    // Repeated withdrawals and invitations must not send repeated notices.
    let spared: Vec<&Known> = known.iter().filter(|one| one.state == State::Withdrawn).collect();
    let told_of = |person: UserId| spared.iter().find(|one| one.user == person).map_or(at, |one| one.told);
    let rows: Vec<(UserId, Timestamp)> = fresh.iter().map(|person| (*person, told_of(*person))).collect();
    store_invitations::put(tx, group.id, actor.id, &rows, at, at.plus(OPEN_FOR)).await?;
    let names = users::public_by_ids(tx, &fresh).await?;
    let detail = names.into_iter().map(|user| user.username).collect::<Vec<_>>().join("、");
    by.record(tx, "group.invite", &group.name, detail).await?;
    let recipients =
        Recipients::people(fresh.iter().copied().filter(|one| spared.iter().all(|known| known.user != *one)));
    let told = notices::tell(tx, at, &recipients, &invited_notice(group, &actor.username)).await?;
    Ok(Invited { count: fresh.len().try_into().unwrap_or(u64::MAX), told })
}

/// 409 with the names of people who declined recently.
async fn refuse_declined(tx: &Tx, people: &[UserId]) -> ApiResult<()> {
    const NAMED: usize = 5;
    if people.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = users::public_by_ids(tx, people).await?.into_iter().map(|user| user.username).collect();
    let more = if names.len() > NAMED { format!(" 等 {} 人", names.len()) } else { " ".to_owned() };
    let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("、");
    let message = format!("{named}{more}拒绝过邀请，7 天内不能再次邀请，请先去掉");
    Err(ApiError::conflict("invitation_declined", message).on_field("users"))
}
