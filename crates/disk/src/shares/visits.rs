//! Counts what visitors of shares do, batched: a write per visit would let any stranger keep the database busy.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use db_kit::{Db, DbResult};
use kernel::Timestamp;
use moka::sync::Cache;

use super::store::{self, Visited};

/// A killed process loses at most this much.
const WRITE_EVERY: Duration = Duration::from_secs(5);
/// A visitor who reloads, walks through folders and comes back within this time has opened the link once.
const ONE_VIEW: Duration = Duration::from_secs(30 * 60);
const MOST_VISITORS: u64 = 100_000;

/// What a visitor did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visiting {
    /// Opened the link, or walked on in it.
    Look,
    /// Fetched content.
    Download,
    /// Sent a file.
    Upload,
}

/// Counts that are not written yet.
#[derive(Debug)]
pub(super) struct Visits {
    gathered: Mutex<(HashMap<String, Visited>, Timestamp)>,
    /// Who has opened which link within [`ONE_VIEW`].
    visitors: Cache<(String, IpAddr), ()>,
}

impl Visits {
    pub(super) fn new() -> Self {
        let visitors = Cache::builder().time_to_live(ONE_VIEW).max_capacity(MOST_VISITORS).build();
        Self { gathered: Mutex::new((HashMap::new(), Timestamp::from_millis(0))), visitors }
    }

    /// Counts one visit, and writes all counts when the last write is long enough ago.
    pub(super) async fn count(
        &self,
        db: &Db,
        (hash, from): (&str, IpAddr),
        visiting: Visiting,
        now: Timestamp,
    ) -> DbResult<()> {
        let is_view =
            visiting == Visiting::Look && self.visitors.entry((hash.to_owned(), from)).or_insert(()).is_fresh();
        let due = {
            let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
            let visited = gathered.0.entry(hash.to_owned()).or_default();
            visited.views += i64::from(is_view);
            visited.downloads += i64::from(visiting == Visiting::Download);
            visited.last = visited.last.max(now.as_millis());
            gathered.1.plus(WRITE_EVERY) <= now
        };
        if due { self.write(db, now).await } else { Ok(()) }
    }

    /// Writes the counts.
    pub(super) async fn write(&self, db: &Db, now: Timestamp) -> DbResult<()> {
        let visits = {
            let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.1 = now;
            std::mem::take(&mut gathered.0)
        };
        if visits.is_empty() { Ok(()) } else { store::add_visits(db, visits).await }
    }
}
