//! How many notices are kept of each person: the newest. How long they are kept the settings say.

use super::store;
use crate::Portal;

/// Of one person.
const MOST_KEPT: i64 = 500;

impl Portal {
    /// Removes the notices that are too many; how many those were.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn trim_notices(&self) -> anyhow::Result<u64> {
        let tx = self.db().begin().await?;
        let removed = store::trim(&tx, MOST_KEPT).await?;
        tx.commit().await?;
        Ok(removed)
    }
}
