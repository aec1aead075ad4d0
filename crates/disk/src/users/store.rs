//! Disk users in the database.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::{Timestamp, UserId};

/// A disk user's row.
#[derive(Debug, FromQueryResult)]
pub(super) struct Row {
    pub(super) user_id: UserId,
    pub(super) profile: String,
}

/// The stored profile; `None` before the first visit.
pub(super) async fn profile(db: &impl Sql, id: UserId) -> DbResult<Option<String>> {
    let row: Option<Row> =
        db.first("select user_id, profile from disk_users where user_id = $1", vec![id.into()]).await?;
    Ok(row.map(|row| row.profile))
}

/// All of them, by number.
pub(super) async fn profiles(db: &impl Sql) -> DbResult<Vec<Row>> {
    db.all("select user_id, profile from disk_users order by user_id", vec![]).await
}

/// Stores a first profile; returns whether there was none.
pub(super) async fn insert(tx: &Tx, id: UserId, profile: String, at: Timestamp) -> DbResult<bool> {
    let values = vec![id.into(), profile.into(), at.as_millis().into()];
    let sql = "insert into disk_users (user_id, profile, changed) values ($1, $2, $3) on conflict (user_id) do nothing";
    Ok(tx.run(sql, values).await? > 0)
}

/// Replaces an existing profile.
pub(super) async fn update(tx: &Tx, id: UserId, profile: String, at: Timestamp) -> DbResult<()> {
    let values = vec![id.into(), profile.into(), at.as_millis().into()];
    tx.run("update disk_users set profile = $2, changed = $3 where user_id = $1", values).await?;
    Ok(())
}

/// Deletes a profile; returns whether there was one.
pub(super) async fn delete(tx: &Tx, id: UserId) -> DbResult<bool> {
    Ok(tx.run("delete from disk_users where user_id = $1", vec![id.into()]).await? > 0)
}
