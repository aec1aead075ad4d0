//! Permissions on an instance.

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::changes::{self, Action};
use super::model::{Act, Instance};
use super::{frozen, suspend};

/// An actor's relation to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its owner, or an administrator.
    Full,
    /// Leads a group that its owner is in: sees it and stops it.
    Leader,
}

/// Returns the actor's relation to the instance. Other people's instances answer 404. `leads`: whether the actor leads
/// a group that the owner is in.
pub(super) fn standing(actor: &Actor, instance: &Instance, leads: bool) -> ApiResult<Standing> {
    if actor.is_admin() || instance.user == actor.id {
        Ok(Standing::Full)
    } else if leads {
        Ok(Standing::Leader)
    } else {
        Err(not_found())
    }
}

/// Changes that only the owner and administrators make.
pub(super) fn may_change(standing: Standing) -> ApiResult<()> {
    match standing {
        Standing::Full => Ok(()),
        Standing::Leader => Err(ApiError::conflict("not_owner", "组长只能查看和关停组员的实例")),
    }
}

/// Refuses actions on a suspended instance until an administrator resumes it: only administrators stop or release it.
/// An instance that is frozen for lack of space can only be stopped or released.
pub(super) fn unless_suspended(actor: &Actor, one: &Instance, action: Action) -> ApiResult<()> {
    let ends = matches!(action, Action::Stop | Action::Release);
    if let Some(holder) = one.frozen_for.as_ref().filter(|_| !ends) {
        return Err(frozen::refused(holder));
    }
    if !one.is_suspended() || (actor.is_admin() && ends) { Ok(()) } else { Err(suspended(one)) }
}

/// The refusal of an action that can't be requested now; `None` when it can.
pub(super) fn refusal(actor: &Actor, standing: Standing, one: &Instance, act: Act) -> Option<ApiError> {
    let allowed = match act {
        Act::Resume if !actor.is_admin() => Err(ApiError::forbidden()),
        Act::Resume => suspend::check(one),
        Act::Start => check(actor, standing, one, Action::Start),
        Act::Stop => check(actor, standing, one, Action::Stop),
        Act::Restart => check(actor, standing, one, Action::Restart),
        Act::Release => check(actor, standing, one, Action::Release),
    };
    allowed.err()
}

/// Refuses an action that the actor may not request, or that can't be done now.
pub(super) fn check(actor: &Actor, standing: Standing, one: &Instance, action: Action) -> ApiResult<()> {
    if action != Action::Stop {
        may_change(standing)?;
    }
    unless_suspended(actor, one, action)?;
    changes::first_state(one, action).map(drop)
}

/// Only administrators save a suspended instance as an image.
pub(super) fn unless_kept(actor: &Actor, one: &Instance) -> ApiResult<()> {
    if !one.is_suspended() || actor.is_admin() { Ok(()) } else { Err(suspended(one)) }
}

pub(super) fn suspended(one: &Instance) -> ApiError {
    ApiError::conflict("instance_suspended", format!("实例已暂停：{}。需要管理员解除", one.suspended))
}

/// Also the answer for other people's instances.
pub(super) fn not_found() -> ApiError {
    ApiError::not_found("实例")
}
