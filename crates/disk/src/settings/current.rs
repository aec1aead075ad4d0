//! The settings as they are now.

use std::sync::Arc;

use db_kit::{Db, Sql, Tx};
use disk_core::error::{DiskError, DiskResult};
use kernel::Clock;

use super::{Settings, store};
use crate::fresh::Fresh;

/// Settings in the database, cached for a moment.
#[derive(Debug)]
pub(crate) struct CurrentSettings {
    db: Db,
    clock: Arc<dyn Clock>,
    /// Settings until an administrator changes them.
    usual: Arc<Settings>,
    fresh: Fresh<(), Arc<Settings>>,
}

impl CurrentSettings {
    pub(crate) fn new(db: Db, usual: Settings, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock, usual: Arc::new(usual), fresh: Fresh::new(1) }
    }

    pub(crate) async fn get(&self) -> DiskResult<Arc<Settings>> {
        self.fresh.get_or((), self.stored(&self.db)).await
    }

    /// The settings in the database, not the cached ones.
    pub(crate) async fn now(&self) -> DiskResult<Arc<Settings>> {
        self.stored(&self.db).await
    }

    async fn stored(&self, db: &impl Sql) -> DiskResult<Arc<Settings>> {
        Ok(match store::read(db).await? {
            Some(text) => Arc::new(serde_json::from_str(&text).map_err(DiskError::internal)?),
            None => Arc::clone(&self.usual),
        })
    }

    /// Changes the settings, based on the stored ones.
    pub(super) async fn change(&self, change: impl FnOnce(&Settings) -> DiskResult<Settings> + Send) -> DiskResult<()> {
        let tx = self.db.begin().await?;
        self.change_within(&tx, change).await?;
        tx.commit().await?;
        self.fresh.forget(&());
        Ok(())
    }

    /// The same in the caller's transaction. The cache stays as it is.
    pub(crate) async fn change_within(
        &self,
        tx: &Tx,
        change: impl FnOnce(&Settings) -> DiskResult<Settings> + Send,
    ) -> DiskResult<()> {
        tx.serialize("disk_settings").await?;
        let changed = change(&*self.stored(tx).await?)?;
        let text = serde_json::to_string(&changed).map_err(DiskError::internal)?;
        Ok(store::write(tx, text, self.clock.now()).await?)
    }
}
