//! Levels in the database.

use db_kit::{DbResult, Record, Sql, Tx, placeholders};
use kernel::Timestamp;

use super::model::LevelRow;

/// Well below the databases' limit of parameters.
const AT_ONCE: usize = 500;

/// The rows of these keys that exist.
pub(super) async fn of(db: &impl Sql, keys: &[String]) -> DbResult<Vec<LevelRow>> {
    let mut found = Vec::new();
    for part in keys.chunks(AT_ONCE) {
        let sql = format!("{} where holder in ({})", LevelRow::select(), placeholders(1, part.len()));
        found.extend(db.all::<LevelRow>(&sql, part.iter().map(|key| key.as_str().into()).collect()).await?);
    }
    Ok(found)
}

/// Rows that were full at a last count not before `not_before`.
pub(super) async fn full(db: &impl Sql, not_before: Timestamp) -> DbResult<Vec<LevelRow>> {
    let sql = format!("{} where full_since is not null and counted >= $1 order by holder", LevelRow::select());
    db.all(&sql, vec![not_before.as_millis().into()]).await
}

pub(super) async fn put(tx: &Tx, row: &LevelRow) -> DbResult<u64> {
    let (sql, values) = row.upsert(&[])?;
    let gone_on = "gone_on = case when excluded.full_since is null then null else disk_levels.gone_on end";
    tx.run(&format!("{sql}, {gone_on}"), values).await
}

/// Restarts the full period of a full row, as not growing.
pub(super) async fn restart_grace(tx: &Tx, key: &str, now: Timestamp) -> DbResult<()> {
    let sql = "update disk_levels set full_since = $2, grew = $3 where holder = $1 and full_since is not null";
    tx.run(sql, vec![key.into(), now.as_millis().into(), false.into()]).await.map(drop)
}

/// When the owner last resumed the instance with a full root, unless there was space since.
pub(super) async fn gone_on(db: &impl Sql, key: &str) -> DbResult<Option<Timestamp>> {
    let sql = "select gone_on from disk_levels where holder = $1";
    Ok(db.value::<Option<Timestamp>>(sql, vec![key.into()]).await?.flatten())
}

pub(super) async fn set_gone_on(tx: &Tx, key: &str, now: Timestamp) -> DbResult<()> {
    let sql = "update disk_levels set gone_on = $2 where holder = $1";
    tx.run(sql, vec![key.into(), now.as_millis().into()]).await.map(drop)
}
