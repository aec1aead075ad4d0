//! Steps that several calls share, each within the caller's transaction.

use db_kit::{DbResult, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Role, Timestamp, UserId};

use super::form::{QuotaChange, UserFields};
use super::model::{Source, User};
use super::store::{self, NewUser, PasswordOrigin};
use super::store_ends::{self, KeptGrant};
use super::temporary::Grant;
use crate::features::groups::{self, MembershipOrigin};
use crate::features::logs::Acting;
use crate::features::settings::Quotas;
use crate::features::{app_passwords, session};
use crate::lab_time;

/// Makes a user from checked fields.
pub(super) async fn create(
    tx: &Tx,
    by: &Acting,
    fields: &UserFields,
    password_hash: &str,
    defaults: Quotas,
) -> ApiResult<UserId> {
    let quotas = fields.quotas(defaults);
    let new = NewUser {
        fields,
        password_hash: Some(password_hash),
        password_origin: PasswordOrigin {
            is_foreign: true,
            must_change: fields.must_change_password.unwrap_or_default(),
        },
        quotas,
        source: Source::Local,
        created: by.at,
    };
    let id = store::insert(tx, new).await?;
    if let Some(groups) = &fields.groups {
        groups::set_groups_of(tx, id, groups, MembershipOrigin::Administrator, by.at).await?;
    }
    by.record(tx, "user.create", fields.username.clone().unwrap_or_default(), String::new()).await?;
    Ok(id)
}

/// Checks a change by validated fields.
///
/// # Errors
/// 409 when no other administrator would be left, or when the actor would disable themselves.
pub(crate) async fn check_change(tx: &Tx, by: &Acting, old: &User, fields: &UserFields) -> ApiResult<()> {
    let role = fields.role.unwrap_or(old.role);
    let active = fields.active.unwrap_or(old.active);
    if old.role == Role::Admin && old.active && (role != Role::Admin || !active) {
        keep_an_admin(tx, &[old.id]).await?;
    }
    if by.actor.id == old.id && !active {
        return Err(ApiError::conflict("self_disable", "不能禁用自己的账号"));
    }
    Ok(())
}

/// Changes a user by fields that passed [`check_change`]. What a disabled account must not keep, such as sessions, is
/// ended before, by `accounts`.
pub(crate) async fn change(tx: &Tx, by: &Acting, old: &User, fields: &UserFields) -> ApiResult<()> {
    let role = fields.role.unwrap_or(old.role);
    let active = fields.active.unwrap_or(old.active);
    store::update(tx, old.id, fields).await?;
    end_grant_of(tx, old.id, fields).await?;
    if active && !old.active {
        store_ends::forget_past_ends(tx, &[old.id], by.at).await?;
    }
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
        // The token that the pages read contains the role.
        session::end_all_of(tx, old.id).await?;
        // Administrators see the disk from its root, so the path would mean another folder.
        app_passwords::end_confined_of(tx, old.id).await?;
    }
    Ok(())
}

/// Locks the user until the transaction ends, for changes that depend on what was read. The locks of administrators and
/// of reservations are taken after it.
///
/// # Errors
/// If the database fails.
pub(crate) async fn hold(tx: &Tx, id: UserId) -> DbResult<()> {
    tx.serialize(&format!("user {id}")).await
}

/// Sets quotas permanently, within bounds; `detail` is the reason for the operate log.
pub(crate) async fn set_quotas(tx: &Tx, by: &Acting, id: UserId, change: QuotaChange, detail: String) -> ApiResult<()> {
    hold(tx, id).await?;
    let old = store::by_id(tx, id).await?;
    self::change(tx, by, &old, &change.into()).await?;
    by.record(tx, "user.quota", old.username, detail).await
}

/// Sets quotas, within bounds, until a time at which the earlier ones return.
pub(crate) async fn grant_quotas(
    tx: &Tx,
    by: &Acting,
    id: UserId,
    change: QuotaChange,
    until: Timestamp,
    detail: String,
) -> ApiResult<()> {
    hold(tx, id).await?;
    let present = store::by_id(tx, id).await?.quotas();
    let earlier = store_ends::grant_of(tx, id).await?.map(|kept| kept.grant);
    let grant = Grant::of(earlier, present, UserFields::from(change).quotas(present));
    // Ends the earlier grant of the same quotas; the new one keeps the quotas from before both.
    set_quotas(tx, by, id, change, format!("{detail}，到{}", lab_time::in_words(until))).await?;
    store_ends::put_grant(tx, id, until, grant).await?;
    Ok(())
}

/// Quotas that are set permanently do not return to those from before a grant, even if they equal the granted ones.
async fn end_grant_of(tx: &Tx, id: UserId, fields: &UserFields) -> ApiResult<()> {
    if !fields.sets_quotas() {
        return Ok(());
    }
    let Some(kept) = store_ends::grant_of(tx, id).await? else { return Ok(()) };
    if let Some(grant) = kept.grant.after(|quotas| fields.quotas(quotas)) {
        store_ends::change_grant(tx, id, &grant).await?;
    } else {
        store_ends::remove_grant(tx, &kept).await?;
    }
    Ok(())
}

/// Ends a grant under [`hold`]; returns a description of the change, or `None` when it ended or changed meanwhile.
pub(super) async fn restore_quotas(tx: &Tx, user: &User, kept: &KeptGrant) -> ApiResult<Option<String>> {
    if !store_ends::remove_grant(tx, kept).await? {
        return Ok(None);
    }
    let after = kept.grant.restored(user.quotas());
    store::update(tx, user.id, &QuotaChange::all(after).into()).await?;
    Ok(Some(user.quotas().changes(after)))
}

/// 409 when no other administrator would be left.
pub(crate) async fn keep_an_admin(tx: &Tx, without: &[UserId]) -> ApiResult<()> {
    tx.serialize("admins").await?;
    if store::other_admins(tx, without).await? == 0 {
        return Err(ApiError::conflict("last_admin", "至少要保留一个启用的本地管理员"));
    }
    Ok(())
}
