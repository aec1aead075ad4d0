//! What shared folders hold altogether. Counting reads the whole tree, so visitors get a bounded part of the disk's time:
//! few counts at once, each with an end, and each result kept for a while.

use std::sync::Arc;
use std::time::Duration;

use disk_core::blocking::blocking;
use disk_core::jail::VirtualPath;
use moka::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::host::ReadParts;
use crate::http::Member;
use crate::resources::{self, Total};

const AT_ONCE: usize = 2;
/// A folder that takes longer is shown without its size.
const LONGEST: Duration = Duration::from_secs(5);
const KEPT_FOR: Duration = Duration::from_secs(60);
const MOST_KEPT: u64 = 1000;

/// Counts for visitors.
#[derive(Debug)]
pub(super) struct Totals {
    turns: Arc<Semaphore>,
    /// By the link's hash and the path in it. `None`: it took too long.
    kept: Cache<(String, String), Option<Total>>,
}

impl Totals {
    pub(super) fn new() -> Self {
        let kept = Cache::builder().time_to_live(KEPT_FOR).max_capacity(MOST_KEPT).build();
        Self { turns: Arc::new(Semaphore::new(AT_ONCE)), kept }
    }

    /// Returns what a folder in a share holds; `None` when that can't be said in time.
    pub(super) async fn of(&self, parts: ReadParts, member: &Member, hash: &str, path: &VirtualPath) -> Option<Total> {
        let key = (hash.to_owned(), path.to_string());
        if let Some(kept) = self.kept.get(&key) {
            return kept;
        }
        // Ends the walk also when the visitor goes away and this is dropped.
        let gone = CancellationToken::new();
        let _here = gone.clone().drop_guard();
        let (turns, view, path) = (Arc::clone(&self.turns), Arc::clone(&member.view), path.clone());
        let counting = async move {
            let turn = turns.acquire_owned().await.ok()?;
            let counted = blocking(move || {
                let _turn = turn;
                resources::total_of(&parts.jail, &view, &path, &gone)
            });
            counted.await.ok()
        };
        let total = timeout(LONGEST, counting).await.ok().flatten();
        self.kept.insert(key, total);
        total
    }
}
