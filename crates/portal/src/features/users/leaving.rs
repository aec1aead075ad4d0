//! Accounts of people who leave: disabled at once, deleted at the end.

use db_kit::{DbResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{ErrorKind, Role, UserId};

use super::disable::{self, Ended};
use super::model::{PublicUser, User};
use super::service::{self, By};
use super::{store, store_accounts};
use crate::features::instances::Stopped;

/// For the past of instances that stop with an account.
const REASON: &str = "账号离开，实例随之停止";

/// Returns an account.
///
/// # Errors
/// 404 when there is none, or if the database fails.
pub(crate) async fn account(db: &impl Sql, id: UserId) -> ApiResult<User> {
    store::by_id(db, id).await
}

/// Returns those of these people who exist and are not disabled.
///
/// # Errors
/// If the database fails.
pub(crate) async fn active_among(db: &impl Sql, ids: &[UserId]) -> DbResult<Vec<PublicUser>> {
    let active = store_accounts::contacts(db, ids).await?;
    let people = store::public_by_ids(db, ids).await?;
    Ok(people.into_iter().filter(|person| active.iter().any(|one| one.id == person.id)).collect())
}

/// Sessions and instances that ended with the account.
#[must_use = "servers of stopped instances are to be woken after the commit"]
#[derive(Debug)]
pub(crate) struct SwitchedOff(Ended);

impl SwitchedOff {
    pub(crate) fn stopped(&self) -> &Stopped {
        &self.0.stopped
    }
}

/// Disables the account of a person who leaves and stops their instances.
///
/// # Errors
/// 409 for the actor's own account and the last administrator's, or if the database fails.
pub(crate) async fn switch_off(tx: &Tx, by: By<'_>, id: UserId) -> ApiResult<SwitchedOff> {
    let user = store::by_id(tx, id).await?;
    if user.id == by.actor.id {
        return Err(ApiError::conflict("self_delete", "不能删除自己的账号"));
    }
    if user.role == Role::Admin && user.active {
        service::keep_an_admin(tx, &[id]).await?;
    }
    let ended = disable::end_all_because(tx, &by.actor.username, REASON, by.at, &[id], true).await?;
    if store::set_active(tx, &[id], false).await? > 0 {
        by.record(tx, "user.disable", user.username, ended.in_words()).await?;
    }
    Ok(SwitchedOff(ended))
}

/// Deletes the account; `false` when it was deleted before.
///
/// # Errors
/// 409 while the person owns something that would have no owner, or if the database fails.
pub(crate) async fn delete_account(tx: &Tx, by: By<'_>, id: UserId) -> ApiResult<bool> {
    match store::by_id(tx, id).await {
        Ok(user) => service::delete(tx, by, &user).await.map(|()| true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
