//! The limit on the number of notices of each user: the newest are kept. The settings limit their age.

use super::store;
use crate::Portal;

/// For each user.
const MOST_KEPT: i64 = 500;

impl Portal {
    /// Removes the notices beyond the limit; returns their number.
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
