//! Instances of people who leave, in the database.

use db_kit::{DbResult, Record, Sql};
use kernel::UserId;

use super::model::Instance;

/// A person's instances that are not released.
pub(super) async fn open_of(db: &impl Sql, user: UserId) -> DbResult<Vec<Instance>> {
    let sql = format!("{} where user_id = $1 and state <> 'released'", Instance::select());
    db.all(&sql, vec![user.into()]).await
}
