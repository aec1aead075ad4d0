//! A short-lived cache of database reads, so that not every request queries.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use disk_core::error::DiskResult;
use moka::sync::Cache;

/// How long a change that another process made can go unseen.
pub const KEPT_FOR: Duration = Duration::from_secs(5);

/// Values by key. A change by this process counts at once, also for a read that began before.
pub(crate) struct Fresh<K, V> {
    kept: Cache<K, V>,
    /// How often something was forgotten.
    changes: Mutex<u64>,
}

impl<K, V> std::fmt::Debug for Fresh<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fresh").field("changes", &self.changes).finish_non_exhaustive()
    }
}

impl<K, V> Fresh<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(crate) fn new(most: u64) -> Self {
        let kept = Cache::builder().time_to_live(KEPT_FOR).max_capacity(most).build();
        Self { kept, changes: Mutex::default() }
    }

    /// Returns the cached value, or the one that `load` reads.
    pub(crate) async fn get_or(&self, key: K, load: impl Future<Output = DiskResult<V>>) -> DiskResult<V> {
        if let Some(value) = self.kept.get(&key) {
            return Ok(value);
        }
        let before = *self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let value = load.await?;
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if *changes == before {
            self.kept.insert(key, value.clone());
        }
        Ok(value)
    }

    /// Invalidates a value. Called after its change is committed.
    pub(crate) fn forget(&self, key: &K) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        *changes += 1;
        self.kept.invalidate(key);
    }
}

#[cfg(test)]
mod tests {
    use super::Fresh;

    #[tokio::test]
    async fn a_read_that_began_before_a_change_is_not_kept() {
        let fresh = Fresh::new(2);
        let old = async {
            fresh.forget(&1);
            Ok("old")
        };
        assert_eq!(fresh.get_or(1, old).await.unwrap(), "old");
        assert_eq!(fresh.get_or(1, async { Ok("new") }).await.unwrap(), "new");
        assert_eq!(fresh.get_or(1, async { Ok("not asked for") }).await.unwrap(), "new");
    }
}
