//! How duties went in each portal, in the database.

use background::FailingSubject;
use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;
use serde::Serialize;

/// The last run of a duty in one portal.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult, Serialize)]
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
    let sql = "insert into duty_runs (duty, portal, host, active, running_since, started, took_ms, error, next, held, \
        failing, noted) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        on conflict (duty, portal) do update set host = excluded.host, active = excluded.active, \
        running_since = excluded.running_since, started = excluded.started, took_ms = excluded.took_ms, \
        error = excluded.error, next = excluded.next, held = excluded.held, failing = excluded.failing, \
        noted = excluded.noted";
    let values = vec![
        row.duty.as_str().into(),
        row.portal.as_str().into(),
        row.host.as_str().into(),
        row.active.into(),
        row.running_since.into(),
        row.started.into(),
        row.took_ms.into(),
        row.error.as_deref().into(),
        row.next.into(),
        row.held.into(),
        row.failing.as_str().into(),
        row.noted.into(),
    ];
    tx.run(sql, values).await
}

/// How all duties went everywhere, the latest news first.
pub(crate) async fn all(db: &impl Sql) -> DbResult<Vec<RunRow>> {
    let sql = "select duty, portal, host, active, running_since, started, took_ms, error, next, held, failing, noted \
        from duty_runs order by noted desc, duty, portal limit 2000";
    db.all(sql, vec![]).await
}

/// Deletes the rows of portals without entries since then.
pub(super) async fn forget(tx: &Tx, before: Timestamp) -> DbResult<u64> {
    tx.run("delete from duty_runs where noted < $1", vec![before.as_millis().into()]).await
}
