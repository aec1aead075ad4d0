//! Deleting an account, whose owner has nothing left that would have no owner.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{ErrorKind, Role, UserId};

use super::start::hold;
use super::store;
use crate::features::logs::Acting;
use crate::features::users::{self, User};
use crate::features::{allocations, datasets, images, instances, worksheets};

/// Deletes the account; `false` when it was deleted before.
///
/// # Errors
/// 409 while the person owns something that would have no owner, or if the database fails.
pub(super) async fn delete_account(tx: &Tx, by: &Acting, id: UserId) -> ApiResult<bool> {
    match users::account(tx, id).await {
        Ok(user) => delete(tx, by, &user).await.map(|()| true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Deletes a user; their sessions and memberships go with them.
pub(super) async fn delete(tx: &Tx, by: &Acting, user: &User) -> ApiResult<()> {
    if user.id == by.actor.id {
        return Err(ApiError::conflict("self_delete", "不能删除自己的账号"));
    }
    // Taken before the other locks, as a departure does.
    hold(tx, user.id).await?;
    if user.role == Role::Admin && user.active {
        users::keep_an_admin(tx, &[user.id]).await?;
    }
    // No instance is created meanwhile.
    allocations::hold_reservations(tx).await?;
    refuse_with_things(tx, user.id).await?;
    users::delete(tx, user.id).await?;
    store::forget_planned(tx, user.id).await?;
    allocations::forget_user(tx, user.id).await?;
    worksheets::close_of_user(tx, user.id, by.at).await?;
    by.record(tx, "user.delete", user.username.clone(), String::new()).await
}

/// 409 while the user owns something that would have no owner.
async fn refuse_with_things(tx: &Tx, user: UserId) -> ApiResult<()> {
    let instances = instances::count_of(tx, user).await?;
    let datasets = datasets::held_by(tx, user).await?.len();
    let images = images::owned_by(tx, user).await?.len();
    let parts = [
        (instances > 0).then(|| format!("{instances} 个实例")),
        (datasets > 0).then(|| format!("{datasets} 个数据集")),
        (images > 0).then(|| format!("{images} 个镜像")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Ok(());
    }
    let code = if instances > 0 { "user_has_instances" } else { "user_has_things" };
    let message = format!("该用户还有 {}，请先办理离开，把它们移交或删除", parts.join("、"));
    Err(ApiError::conflict(code, message))
}
