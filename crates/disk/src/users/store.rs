//! Disk users in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql};
use kernel::{Timestamp, UserId};

#[derive(Debug, FromQueryResult)]
struct Row {
    profile: String,
}

/// The stored profile; none before the first visit.
pub(super) async fn profile(db: &impl Sql, id: UserId) -> DbResult<Option<String>> {
    let row: Option<Row> = db.first("select profile from disk_users where user_id = $1", vec![id.into()]).await?;
    Ok(row.map(|row| row.profile))
}

/// Stores a newcomer's profile, unless somebody else just did.
pub(super) async fn insert(db: &Db, id: UserId, profile: String, at: Timestamp) -> DbResult<()> {
    let tx = db.begin().await?;
    tx.run(
        "insert into disk_users (user_id, profile, changed) values ($1, $2, $3) on conflict (user_id) do nothing",
        vec![id.into(), profile.into(), at.as_millis().into()],
    )
    .await?;
    tx.commit().await
}
