//! The journal of runs: written by this process, and read after a restart.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use background::{DutyReport, Run};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::store::{self, RunRow};
use crate::Portal;

/// A portal without entries for this long is not expected back.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
/// On SQLite only the next process reads the journal, so short duties, which run again right after a start, are not
/// written.
const WORTH_RECALLING: Duration = Duration::from_secs(60);

/// The rows written last, to skip unchanged ones.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<HashMap<String, RunRow>>);

impl Journal {
    fn written(&self) -> MutexGuard<'_, HashMap<String, RunRow>> {
        // At worst a row is written once more.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the row changed, its time apart.
    fn is_news(&self, row: &RunRow) -> bool {
        let written = self.written();
        written.get(&row.duty).is_none_or(|old| RunRow { noted: row.noted, ..old.clone() } != *row)
    }
}

/// Writes the changed rows.
pub(super) async fn write(portal: &Portal) -> ApiResult<()> {
    let (journal, shared, now) = (&portal.duty_tasks().journal, portal.db().is_postgres(), portal.now());
    let host = background::host_name();
    let rows: Vec<RunRow> = portal
        .duties()
        .reports()
        .iter()
        .filter(|report| shared || report.duty.period >= WORTH_RECALLING)
        .map(|report| row(report, portal.id(), &host, now))
        // With other portals, unchanged rows are written too: their time shows that this portal is alive.
        .filter(|row| shared || journal.is_news(row))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    for row in &rows {
        store::put(&tx, row).await?;
    }
    store::forget(&tx, now.minus(FORGOTTEN_AFTER)).await?;
    tx.commit().await?;
    journal.written().extend(rows.into_iter().map(|row| (row.duty.clone(), row)));
    Ok(())
}

/// Takes over how the duties went in the last process on this data folder.
pub(super) async fn recall(portal: &Portal) -> ApiResult<()> {
    for row in store::all(portal.db()).await?.into_iter().filter(|row| row.portal == portal.id()) {
        if let Some(run) = run(&row) {
            portal.duties().recall(&row.duty, run);
        }
    }
    Ok(())
}

/// The last finished run, or the unfinished run of a killed process.
fn run(row: &RunRow) -> Option<Run> {
    if let Some(since) = row.running_since {
        let error = Some("上次运行时程序中断".to_owned());
        return Some(Run { started: Timestamp::from_millis(since), took: Duration::ZERO, error });
    }
    Some(Run {
        started: Timestamp::from_millis(row.started?),
        took: Duration::from_millis(row.took_ms?.unsigned_abs()),
        error: row.error.clone(),
    })
}

pub(super) fn row(report: &DutyReport, portal: &str, host: &str, now: Timestamp) -> RunRow {
    let last = report.last.as_ref();
    RunRow {
        duty: report.duty.name.to_owned(),
        portal: portal.to_owned(),
        host: host.to_owned(),
        active: report.active,
        running_since: report.running_since.map(Timestamp::as_millis),
        started: last.map(|run| run.started.as_millis()),
        took_ms: last.map(|run| i64::try_from(run.took.as_millis()).unwrap_or(i64::MAX)),
        error: last.and_then(|run| run.error.clone()),
        next: report.next.map(Timestamp::as_millis),
        held: report.held,
        failing: store::failing(&report.failing),
        noted: now.as_millis(),
    }
}
