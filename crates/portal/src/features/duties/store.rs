//! How duties went in each portal, in the database.

use background::FailingSubject;
use db_kit::{DbResult, Record, Sql, Tx};
use kernel::Timestamp;
use serde::Serialize;

/// The last run of a duty in one portal.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize)]
#[record(table = "duty_runs", key = "duty, portal")]
pub(crate) struct RunRow {
    pub(super) duty: String,
    pub(super) portal: String,
    pub(super) host: String,
    pub(super) active: bool,
    pub(super) running_since: Option<i64>,
    pub(super) started: Option<i64>,
    pub(super) took_ms: Option<i64>,
    pub(super) error: Option<String>,
    pub(super) next: Option<i64>,
    pub(super) held: bool,
    /// Failing subjects and their errors, as JSON.
    pub(super) failing: String,
    pub(super) noted: i64,
}

impl RunRow {
    pub(super) fn failing(&self) -> Vec<(String, String)> {
        // Only shown, and written again at the next run.
        serde_json::from_str(&self.failing).unwrap_or_default()
    }
}

/// The text that [`RunRow::failing`] reads.
pub(super) fn failing(subjects: &[FailingSubject]) -> String {
    let pairs: Vec<_> = subjects.iter().map(|one| (&one.subject, &one.error)).collect();
    serde_json::to_string(&pairs).unwrap_or_default()
}

/// Writes down how a duty went here.
pub(super) async fn put(tx: &Tx, row: &RunRow) -> DbResult<u64> {
    row.put(tx).await
}

/// How all duties went everywhere, the latest news first.
pub(crate) async fn all(db: &impl Sql) -> DbResult<Vec<RunRow>> {
    db.all(&format!("{} order by noted desc, duty, portal limit 2000", RunRow::select()), vec![]).await
}

/// Deletes the rows of portals without entries since then.
pub(super) async fn forget(tx: &Tx, before: Timestamp) -> DbResult<u64> {
    tx.run("delete from duty_runs where noted < $1", vec![before.as_millis().into()]).await
}
