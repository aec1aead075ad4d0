//! Folders of groups that running instances still have after their owners left the group.

use db_kit::{DbResult, Record, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::held_folders::HeldFolder;

/// Lists all, ordered by their end.
pub(super) async fn all(db: &impl Sql) -> DbResult<Vec<HeldFolder>> {
    db.all(&format!("{} order by ends_at, id", HeldFolder::select()), vec![]).await
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<HeldFolder> {
    let sql = format!("{} where id = $1", HeldFolder::select());
    db.first(&sql, vec![id.into()]).await?.ok_or_else(|| ApiError::not_found("占用记录"))
}

/// Inserts or replaces the row of an instance and folder.
pub(super) async fn put(tx: &Tx, held: &HeldFolder) -> DbResult<u64> {
    held.put(tx).await
}

/// Sets the end. Returns whether the row still exists.
pub(super) async fn set_end(tx: &Tx, id: &str, ends_at: Timestamp) -> DbResult<bool> {
    let sql = "update held_group_folders set ends_at = $2 where id = $1";
    Ok(tx.run(sql, vec![id.into(), ends_at.as_millis().into()]).await? > 0)
}

/// Writes the outcome of another try, but not the end, which may be changed concurrently.
pub(super) async fn note_try(tx: &Tx, held: &HeldFolder) -> DbResult<()> {
    let sql = "update held_group_folders set unmounted = $2, still_open = $3, told = $4, problem = $5, tried = $6 \
        where id = $1";
    let values = vec![
        held.id.as_str().into(),
        held.unmounted.into(),
        held.still_open.into(),
        held.told.map(Timestamp::as_millis).into(),
        held.problem.as_str().into(),
        held.tried.as_millis().into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

pub(super) async fn forget(tx: &Tx, id: &str) -> DbResult<()> {
    tx.run("delete from held_group_folders where id = $1", vec![id.into()]).await?;
    Ok(())
}
