//! Permissions on a group.

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::model::MembershipOrigin;

/// The actor's own membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Membership {
    pub(super) leader: bool,
    pub(super) origin: MembershipOrigin,
}

/// Groups that the actor is not in answer 404.
pub(super) fn may_see(actor: &Actor, own: Option<Membership>) -> ApiResult<()> {
    if actor.is_admin() || own.is_some() { Ok(()) } else { Err(ApiError::not_found("用户组")) }
}

/// Leaders and administrators add and remove members.
pub(super) fn may_change_members(actor: &Actor, own: Option<Membership>) -> ApiResult<()> {
    may_see(actor, own)?;
    let leads = own.is_some_and(|membership| membership.leader);
    if actor.is_admin() || leads {
        Ok(())
    } else {
        Err(ApiError::conflict("not_group_leader", "只有组长和管理员可以增减成员"))
    }
}

/// A leader is removed by administrators only.
pub(super) fn may_remove(actor: &Actor, target_leads: bool) -> ApiResult<()> {
    if actor.is_admin() || !target_leads {
        Ok(())
    } else {
        Err(ApiError::conflict("leader_removal", "组长只能由管理员移出"))
    }
}

/// Members may leave a group that they were not assigned to. `others_lead`: the group has another leader who is not
/// disabled.
pub(super) fn may_leave(own: Membership, others_lead: bool) -> ApiResult<()> {
    match own.origin {
        MembershipOrigin::Administrator => {
            Err(ApiError::conflict("assigned_member", "你是由管理员加入这个组的，要退出请联系管理员"))
        }
        MembershipOrigin::Directory => {
            Err(ApiError::conflict("directory_member", "你在这个组里是由目录服务（LDAP）指定的，要退出请联系管理员"))
        }
        MembershipOrigin::Invitation | MembershipOrigin::Earlier if own.leader && !others_lead => {
            Err(ApiError::conflict("last_leader", "你是这个组唯一的组长，请先让管理员指定另一位组长再退出"))
        }
        MembershipOrigin::Invitation | MembershipOrigin::Earlier => Ok(()),
    }
}
