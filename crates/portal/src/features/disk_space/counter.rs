//! Immediate counts, where the network disk is in this process: for a user who has just freed space and waits.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::dataset::{DiskHolder, DiskUse};

use crate::Portal;

/// A network disk that counts at once.
#[async_trait]
pub trait DiskCounter: Send + Sync + Debug {
    /// Counts a holder's usage; `None` without a quota there.
    ///
    /// # Errors
    /// When it can't be counted.
    async fn count(&self, holder: DiskHolder) -> anyhow::Result<Option<DiskUse>>;
}

/// The network disk of this process, for a handle of the portal that can have it count.
#[derive(Clone, Debug, Default)]
pub(crate) struct LentCounter(Option<Arc<dyn DiskCounter>>);

impl Portal {
    /// Another handle of this portal, by which usage is counted at once.
    #[must_use]
    pub fn with_disk_counter(&self, counter: Arc<dyn DiskCounter>) -> Self {
        self.with_loan(LentCounter(Some(counter)))
    }

    /// Counts and stores a holder's usage now, where that is possible; otherwise the last report stays.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn count_disk_use(&self, holder: DiskHolder) -> anyhow::Result<()> {
        let Some(counter) = self.loan::<LentCounter>().0.as_deref() else { return Ok(()) };
        match counter.count(holder).await {
            Ok(Some(found)) => self.note_disk_uses(&[found]).await,
            Ok(None) => Ok(()),
            Err(error) => {
                tracing::warn!(
                    ?holder,
                    error = format!("{error:#}"),
                    "what somebody takes could not be counted at once"
                );
                Ok(())
            }
        }
    }
}
