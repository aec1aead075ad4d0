//! Instances of people who leave, in the database.

use db_kit::{FromQueryResult, Sql};
use http_kit::ApiResult;
use kernel::UserId;

use super::model::Instance;
use super::store;

#[derive(Debug, FromQueryResult)]
struct Id {
    id: String,
}

/// A person's instances that are not released.
pub(super) async fn open_of(db: &impl Sql, user: UserId) -> ApiResult<Vec<Instance>> {
    let rows: Vec<Id> =
        db.all("select id from instances where user_id = $1 and state <> 'released'", vec![user.into()]).await?;
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    store::by_ids(db, &ids).await
}
