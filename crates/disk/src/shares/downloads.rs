//! How often shares are fetched, gathered for a moment: a write for each download would let any
//! stranger keep the database busy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use db_kit::{Db, DbResult};
use kernel::Timestamp;

use super::store;

/// What a killed process may forget.
const WRITE_EVERY: Duration = Duration::from_secs(5);

/// What is not written down yet.
#[derive(Debug)]
pub(super) struct Downloads(Mutex<(HashMap<String, i64>, Timestamp)>);

impl Downloads {
    pub(super) fn new() -> Self {
        Self(Mutex::new((HashMap::new(), Timestamp::from_millis(0))))
    }

    /// Counts one, and writes down what has gathered when the last time is long enough ago.
    pub(super) async fn count(&self, db: &Db, hash: &str, now: Timestamp) -> DbResult<()> {
        let due = {
            let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *gathered.0.entry(hash.to_owned()).or_default() += 1;
            gathered.1.plus(WRITE_EVERY) <= now
        };
        if due { self.write(db, now).await } else { Ok(()) }
    }

    /// Writes down what has gathered.
    pub(super) async fn write(&self, db: &Db, now: Timestamp) -> DbResult<()> {
        let counts = {
            let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.1 = now;
            std::mem::take(&mut gathered.0)
        };
        if counts.is_empty() { Ok(()) } else { store::add_downloads(db, counts).await }
    }
}
