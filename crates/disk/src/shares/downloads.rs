//! Counts downloads of shares, batched: a write per download would let any stranger keep the database busy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use db_kit::{Db, DbResult};
use kernel::Timestamp;

use super::store;

/// A killed process loses at most this much.
const WRITE_EVERY: Duration = Duration::from_secs(5);

/// Counts that are not written yet.
#[derive(Debug)]
pub(super) struct Downloads(Mutex<(HashMap<String, i64>, Timestamp)>);

impl Downloads {
    pub(super) fn new() -> Self {
        Self(Mutex::new((HashMap::new(), Timestamp::from_millis(0))))
    }

    /// Counts one download, and writes all counts when the last write is long enough ago.
    pub(super) async fn count(&self, db: &Db, hash: &str, now: Timestamp) -> DbResult<()> {
        let due = {
            let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *gathered.0.entry(hash.to_owned()).or_default() += 1;
            gathered.1.plus(WRITE_EVERY) <= now
        };
        if due { self.write(db, now).await } else { Ok(()) }
    }

    /// Writes the counts.
    pub(super) async fn write(&self, db: &Db, now: Timestamp) -> DbResult<()> {
        let counts = {
            let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.1 = now;
            std::mem::take(&mut gathered.0)
        };
        if counts.is_empty() { Ok(()) } else { store::add_downloads(db, counts).await }
    }
}
