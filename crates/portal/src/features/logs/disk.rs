//! What the disk has the log keep.

use anyhow::Context;
use kernel::{DiskChange, DiskEvent};

use super::store_disk;
use crate::Portal;

impl Portal {
    /// Records a change that somebody makes on a disk. The disk asks before it makes it, so that
    /// none is made that nobody can read about.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_disk_change(&self, change: &DiskChange) -> anyhow::Result<()> {
        store_disk::record_disk_change(self, change).await.context("recording a change of the disk")
    }

    /// Records entries of a disk's audit trail, with the times at which they happened. One that is sent again is
    /// recorded once.
    ///
    /// # Errors
    /// When the database fails; then none is recorded.
    pub async fn record_disk_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        store_disk::record_disk_events(self, events).await.context("recording the audit trail of the disk")
    }
}
