//! A short-lived cache of a small table's rows: what every open page requests every few seconds takes one query instead
//! of hundreds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use db_kit::Db;
use http_kit::ApiResult;
use tokio::sync::Mutex;

/// How long another portal's changes may be invisible. This portal's own are visible at once.
const NOTICED_WITHIN: Duration = Duration::from_secs(1);

/// The cached rows of one table. Only for display: decisions read the rows in their transaction.
pub(crate) struct RecentRows<T> {
    table: &'static str,
    kept: Mutex<Option<Kept<T>>>,
}

struct Kept<T> {
    commits: u64,
    read: Instant,
    rows: Arc<[T]>,
}

impl<T> RecentRows<T> {
    pub(crate) fn of(table: &'static str) -> Self {
        Self { table, kept: Mutex::default() }
    }

    /// The cached rows, or those that `read` finds now. Concurrent callers wait for the same answer.
    pub(crate) async fn get(&self, db: &Db, read: impl Future<Output = ApiResult<Vec<T>>>) -> ApiResult<Arc<[T]>> {
        let mut kept = self.kept.lock().await;
        // Taken before reading: commits during the read may be missing from it.
        let commits = db.commits_to(self.table);
        if let Some(kept) = kept.as_ref()
            && kept.commits == commits
            && kept.read.elapsed() < NOTICED_WITHIN
        {
            return Ok(Arc::clone(&kept.rows));
        }
        let begun = Instant::now();
        let rows: Arc<[T]> = read.await?.into();
        *kept = Some(Kept { commits, read: begun, rows: Arc::clone(&rows) });
        Ok(rows)
    }
}

impl<T> std::fmt::Debug for RecentRows<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecentRows").field("table", &self.table).finish_non_exhaustive()
    }
}
