//! The settings as they are now.

use std::sync::Arc;
use std::time::Duration;

use db_kit::Db;
use moka::sync::Cache;

use super::{Settings, store};
use crate::error::{DiskError, DiskResult};

/// Another process on the same database may change them.
const FRESH_FOR: Duration = Duration::from_secs(5);

/// Read from the database, and kept for a moment.
#[derive(Debug)]
pub(crate) struct CurrentSettings {
    db: Db,
    /// What holds until somebody changes it.
    usual: Arc<Settings>,
    fresh: Cache<(), Arc<Settings>>,
}

impl CurrentSettings {
    pub(crate) fn new(db: Db, usual: Settings) -> Self {
        Self { db, usual: Arc::new(usual), fresh: Cache::builder().time_to_live(FRESH_FOR).build() }
    }

    pub(crate) async fn get(&self) -> DiskResult<Arc<Settings>> {
        if let Some(settings) = self.fresh.get(&()) {
            return Ok(settings);
        }
        let settings = match store::read(&self.db).await? {
            Some(text) => Arc::new(serde_json::from_str(&text).map_err(DiskError::internal)?),
            None => Arc::clone(&self.usual),
        };
        self.fresh.insert((), Arc::clone(&settings));
        Ok(settings)
    }
}
