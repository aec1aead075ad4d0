//! Accounts of people who leave.

use db_kit::{DbResult, Sql};
use http_kit::ApiResult;
use kernel::UserId;

use super::model::{PublicUser, User};
use super::{store, store_accounts};

/// Returns an account.
///
/// # Errors
/// 404 for an unknown id, or if the database fails.
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
