//! Groups led by people who leave: another person becomes their leader.

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{ErrorKind, Timestamp, UserId};

use super::model::{MembershipOrigin, UserGroup};
use super::store;
use crate::features::users;

/// Lists the groups that a person leads, by name.
///
/// # Errors
/// If the database fails.
pub(crate) async fn led_by(db: &impl Sql, user: UserId) -> ApiResult<Vec<UserGroup>> {
    let groups = store::of_users(db, &[user]).await?.remove(&user).unwrap_or_default();
    Ok(groups.into_iter().filter(|group| group.leader).collect())
}

/// Makes a person the leader of a group, and a member if needed; `false` when the group is gone.
///
/// # Errors
/// If the database fails.
pub(crate) async fn lead_from_now(tx: &Tx, group: i64, person: UserId, at: Timestamp) -> ApiResult<bool> {
    store::lock_people(tx, group).await?;
    match store::by_id(tx, group).await {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    }
    store::add(tx, group, &[person], MembershipOrigin::Administrator, at).await?;
    if !store::set_leader(tx, group, person, true).await? {
        return Err(ApiError::internal("a member that was just added is none"));
    }
    users::mark_leaders(tx, &[person]).await?;
    Ok(true)
}
