//! What the last look into the database found, for a moment.

use std::borrow::Borrow;
use std::hash::Hash;
use std::time::Duration;

use db_kit::Db;
use moka::sync::Cache;

/// How long an ended session may still be taken for open when another process ended it. What
/// this process ends is over at once.
pub const NOTICED_WITHIN: Duration = Duration::from_secs(1);
/// Sessions and people that are kept in mind.
const MOST: u64 = 10_000;

/// What was just found out, so that a page full of pictures costs one look into the database
/// instead of hundreds. An answer counts as long as this process has committed nothing since it
/// was read, and for [`NOTICED_WITHIN`] at most.
pub(crate) struct Recent<K, V>(Cache<K, (u64, V)>);

impl<K, V> std::fmt::Debug for Recent<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}

impl<K, V> Default for Recent<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self(Cache::builder().time_to_live(NOTICED_WITHIN).max_capacity(MOST).build())
    }
}

impl<K, V> Recent<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// What is known, unless something was committed since.
    pub(super) fn get<Q>(&self, key: &Q, db: &Db) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (commits, value) = self.0.get(key)?;
        (commits == db.commits()).then_some(value)
    }

    /// Keeps what was read after the database stood at `commits`.
    pub(super) fn keep(&self, key: K, commits: u64, value: V) {
        self.0.insert(key, (commits, value));
    }
}
