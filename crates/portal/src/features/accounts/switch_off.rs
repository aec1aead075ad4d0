//! Disabling the account of a person who leaves.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{Role, UserId};

use super::disable::{self, Ended};
use crate::features::instances::Stopped;
use crate::features::logs::Acting;
use crate::features::users;

/// For the past of instances that stop with an account.
const REASON: &str = "账号离开，实例随之停止";

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
pub(crate) async fn switch_off(tx: &Tx, by: &Acting, id: UserId) -> ApiResult<SwitchedOff> {
    let user = users::account(tx, id).await?;
    if user.id == by.actor.id {
        return Err(ApiError::conflict("self_delete", "不能删除自己的账号"));
    }
    if user.role == Role::Admin && user.active {
        users::keep_an_admin(tx, &[id]).await?;
    }
    let ended = disable::end_all_because(tx, &by.actor.username, REASON, by.at, &[id], true).await?;
    if users::set_active(tx, &[id], false).await? > 0 {
        by.record(tx, "user.disable", user.username, ended.in_words()).await?;
    }
    Ok(SwitchedOff(ended))
}
