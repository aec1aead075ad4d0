//! The last runs in the database.

use std::collections::HashMap;

use db_kit::{Db, DbResult, Record, Sql};
use kernel::Timestamp;

#[derive(Debug, Record)]
#[record(table = "retention_runs", key = "kind")]
pub(super) struct Run {
    kind: String,
    pub(super) ran: i64,
    pub(super) removed: i64,
    pub(super) removed_ever: i64,
}

/// Returns the last run of each kind.
pub(super) async fn runs(db: &Db) -> DbResult<HashMap<String, Run>> {
    let rows: Vec<Run> = db.all(&Run::select(), vec![]).await?;
    Ok(rows.into_iter().map(|row| (row.kind.clone(), row)).collect())
}

pub(super) async fn note(db: &Db, kind: &str, at: Timestamp, removed: u64) -> DbResult<()> {
    let removed = i64::try_from(removed).unwrap_or(i64::MAX);
    let sql = "insert into retention_runs (kind, ran, removed, removed_ever) values ($1, $2, $3, $3) \
        on conflict (kind) do update set ran = excluded.ran, removed = excluded.removed, \
        removed_ever = retention_runs.removed_ever + excluded.removed";
    let tx = db.begin().await?;
    tx.run(sql, vec![kind.into(), at.as_millis().into(), removed.into()]).await?;
    tx.commit().await
}
