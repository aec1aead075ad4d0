//! A short-lived cache of database lookups.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use db_kit::Db;
use moka::sync::Cache;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// How long a session that another process ended may still count as open. A session that this process ends is closed at
/// once.
pub const NOTICED_WITHIN: Duration = Duration::from_secs(1);
/// Sessions and people that are kept in mind.
const MOST: u64 = 10_000;
/// How long they are after their last request.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A cache of recent lookups, so that a page full of pictures costs one query instead of hundreds. An entry is valid
/// until this process commits anything, and for [`NOTICED_WITHIN`] at most. On a miss one request reads the value
/// again, and concurrent ones wait for it.
pub(crate) struct Recent<K, V> {
    kept: Cache<K, (u64, V)>,
    /// For keys that were kept not long ago. Apart from the values, as hits don't touch them.
    turns: Cache<K, Arc<Mutex<()>>>,
}

/// A cache miss. The holder reads the value; until this is dropped, other requests for the same key wait. Keys that
/// were never cached have no turn, so that unknown tokens delay no request.
pub(crate) struct Missed {
    commits: u64,
    turn: Option<OwnedMutexGuard<()>>,
}

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
        let kept = Cache::builder().time_to_live(NOTICED_WITHIN).max_capacity(MOST).build();
        Self { kept, turns: Cache::builder().time_to_idle(KEPT_FOR).max_capacity(MOST).build() }
    }
}

impl<K, V> Recent<K, V>
where
    K: Clone + Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Returns the valid entry, or the turn to read it.
    pub(crate) async fn get<Q>(&self, key: &Q, db: &Db) -> Result<V, Missed>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(value) = self.known(key, db) {
            return Ok(value);
        }
        let Some(turn) = self.turns.get(key) else { return Err(Missed { commits: db.commits(), turn: None }) };
        let turn = turn.lock_owned().await;
        // Later commits may be missing from the value that is read.
        self.known(key, db).ok_or_else(|| Missed { commits: db.commits(), turn: Some(turn) })
    }

    fn known<Q>(&self, key: &Q, db: &Db) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (commits, value) = self.kept.get(key)?;
        (commits == db.commits()).then_some(value)
    }

    /// Stores the value that was read after a miss.
    pub(crate) fn keep(&self, key: K, missed: Missed, value: V) {
        let Missed { commits, turn } = missed;
        if turn.is_none() {
            self.turns.insert(key.clone(), Arc::default());
        }
        self.kept.insert(key, (commits, value));
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::poll;

    use super::*;

    async fn commit(db: &Db) {
        db.begin().await.unwrap().commit().await.unwrap();
    }

    #[tokio::test]
    async fn one_reads_again_and_those_beside_it_wait() {
        let db = Db::connect("sqlite::memory:").await.unwrap();
        let recent = Recent::<u8, &str>::default();
        let strangers = [recent.get(&1, &db).await, recent.get(&1, &db).await];
        for missed in strangers {
            recent.keep(1, missed.err().unwrap(), "old");
        }
        assert!(matches!(recent.get(&1, &db).await, Ok("old")));
        commit(&db).await;
        let missed = recent.get(&1, &db).await.err().unwrap();
        let mut beside = pin!(recent.get(&1, &db));
        assert!(poll!(beside.as_mut()).is_pending());
        recent.keep(1, missed, "new");
        assert!(matches!(beside.await, Ok("new")));
    }

    #[tokio::test]
    async fn who_could_not_read_it_passes_the_turn_on() {
        let db = Db::connect("sqlite::memory:").await.unwrap();
        let recent = Recent::<u8, &str>::default();
        recent.keep(1, recent.get(&1, &db).await.err().unwrap(), "old");
        commit(&db).await;
        let missed = recent.get(&1, &db).await.err().unwrap();
        let mut beside = pin!(recent.get(&1, &db));
        assert!(poll!(beside.as_mut()).is_pending());
        drop(missed);
        let missed = beside.await.err().unwrap();
        // A commit during the read may be missing from the value.
        commit(&db).await;
        recent.keep(1, missed, "read before the change");
        assert!(recent.get(&1, &db).await.is_err());
    }
}
