//! Steps that several calls share, each within the caller's transaction.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Role, Timestamp, UserId};

use super::disable::{self, Ended};
use super::form::UserFields;
use super::model::{Source, User};
use super::store::{self, NewUser};
use crate::features::allocations;
use crate::features::app_passwords;
use crate::features::groups::{self, MembershipOrigin};
use crate::features::instances;
use crate::features::logs::{self, Operation};
use crate::features::session;
use crate::features::settings::Quotas;
use crate::features::worksheets;

/// Who does something, from where, when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) address: std::net::IpAddr,
    pub(crate) at: Timestamp,
}

impl By<'_> {
    pub(crate) async fn record(&self, tx: &Tx, action: &'static str, target: String, detail: String) -> ApiResult<()> {
        let operation = Operation { actor: self.actor, address: self.address.to_string(), action, target, detail };
        logs::record(tx, self.at, operation).await
    }
}

/// Makes a user from checked fields.
pub(super) async fn create(
    tx: &Tx,
    by: By<'_>,
    fields: &UserFields,
    password_hash: &str,
    defaults: Quotas,
) -> ApiResult<UserId> {
    let quotas = fields.quotas(defaults);
    let new = NewUser { fields, password_hash: Some(password_hash), quotas, source: Source::Local, created: by.at };
    let id = store::insert(tx, new).await?;
    if let Some(groups) = &fields.groups {
        groups::set_groups_of(tx, id, groups, MembershipOrigin::Administrator, by.at).await?;
    }
    by.record(tx, "user.create", fields.username.clone().unwrap_or_default(), String::new()).await?;
    Ok(id)
}

/// Changes a user by checked fields, and ends what the change calls for.
pub(super) async fn update(tx: &Tx, by: By<'_>, old: &User, fields: &UserFields) -> ApiResult<Ended> {
    let role = fields.role.unwrap_or(old.role);
    let active = fields.active.unwrap_or(old.active);
    if old.role == Role::Admin && old.active && (role != Role::Admin || !active) {
        keep_an_admin(tx, &[old.id]).await?;
    }
    if by.actor.id == old.id && !active {
        return Err(ApiError::conflict("self_disable", "不能禁用自己的账号"));
    }
    // Not whenever a disabled person is changed: what was left running goes on.
    let disables = fields.active == Some(false);
    let ended = if disables { disable::end_all(tx, by, &[old.id], true).await? } else { Ended::default() };
    store::update(tx, old, fields).await?;
    if let Some(groups) = &fields.groups {
        groups::set_groups_of(tx, old.id, groups, MembershipOrigin::Administrator, by.at).await?;
    }
    if old.group_leader && fields.group_leader == Some(false) {
        groups::stop_leading(tx, old.id).await?;
    }
    if role == Role::Admin {
        // Administrators join groups by administrators only.
        groups::forget_invitations_of(tx, old.id).await?;
    }
    if role != old.role {
        // The role stands in the token that the pages read.
        session::end_all_of(tx, old.id).await?;
        // Administrators see the disk from its root, so the path would mean another folder.
        app_passwords::end_confined_of(tx, old.id).await?;
    }
    Ok(ended)
}

/// Sets all quotas, within bounds; `detail` says why for the operate log.
pub(crate) async fn set_quotas(tx: &Tx, by: By<'_>, id: UserId, quotas: Quotas, detail: String) -> ApiResult<()> {
    let old = store::by_id(tx, id).await?;
    let fields = UserFields {
        instance_limit: Some(quotas.instance_limit),
        instance_limit_offset: Some(quotas.instance_limit_offset),
        gpu_limit: Some(quotas.gpu_limit),
        cpu_quota: Some(quotas.cpu_quota),
        memory_limit: Some(quotas.memory_limit),
        disk_quota: Some(quotas.disk_quota),
        ..UserFields::default()
    };
    // Quotas alone end nothing.
    let _: Ended = update(tx, by, &old, &fields).await?;
    by.record(tx, "user.quota", old.username, detail).await
}

/// Deletes a user; their sessions and memberships go with them.
pub(super) async fn delete(tx: &Tx, by: By<'_>, user: &User) -> ApiResult<()> {
    if user.id == by.actor.id {
        return Err(ApiError::conflict("self_delete", "不能删除自己的账号"));
    }
    if user.role == Role::Admin && user.active {
        keep_an_admin(tx, &[user.id]).await?;
    }
    // Nobody may make an instance meanwhile.
    tx.serialize("reservations").await?;
    if instances::count_of(tx, user.id).await? > 0 {
        return Err(ApiError::conflict("user_has_instances", "该用户还有实例，请先释放"));
    }
    store::delete(tx, user.id).await?;
    allocations::forget_user(tx, user.id).await?;
    worksheets::close_of_user(tx, user.id, by.at).await?;
    by.record(tx, "user.delete", user.username.clone(), String::new()).await
}

/// 409 when nobody else could administer any more.
pub(super) async fn keep_an_admin(tx: &Tx, without: &[UserId]) -> ApiResult<()> {
    tx.serialize("admins").await?;
    if store::other_admins(tx, without).await? == 0 {
        return Err(ApiError::conflict("last_admin", "至少要保留一个启用的本地管理员"));
    }
    Ok(())
}
