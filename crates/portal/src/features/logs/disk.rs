//! The disk's entries of the operate log.

use anyhow::Context;
use kernel::{DiskChange, DiskEvent};

use super::store_disk;
use crate::Portal;

impl Portal {
    /// Records a change of a user on a disk. The disk records it before it makes it, so that no change goes unrecorded.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_disk_change(&self, change: &DiskChange) -> anyhow::Result<()> {
        store_disk::record_disk_change(self, change).await.context("recording a change of the disk")
    }

    /// Records entries of a disk's audit trail, with their own times. Entries that are sent again are skipped.
    ///
    /// # Errors
    /// When the database fails; then none is recorded.
    pub async fn record_disk_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        store_disk::record_disk_events(self, events).await.context("recording the audit trail of the disk")
    }
}
