//! How long notices are kept: the newest of each person, and not for ever.

use std::time::Duration;

use super::store;
use crate::Portal;

/// Of one person.
const MOST_KEPT: i64 = 500;
const KEPT_FOR: Duration = Duration::from_secs(180 * 24 * 3600);

impl Portal {
    /// Removes the notices that are too old or too many; how many those were.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn trim_notices(&self) -> anyhow::Result<u64> {
        let tx = self.db().begin().await?;
        let removed = store::trim(&tx, self.now().minus(KEPT_FOR), MOST_KEPT).await?;
        tx.commit().await?;
        Ok(removed)
    }
}
