//! Finds files while the user is typing: `GET /api/find?q=`, from a list of names that is kept for each viewer.
//!
//! A list is made of the viewer's own view by the same walk as a search, and only while its owner is asking: each call
//! walks on for [`SPAN`] at most, answers from what is known by then, and says whether asking again would find more. So
//! a call takes less than 100 ms whatever the size of the disk, nothing runs in the background, and viewers who do not
//! search cost nothing. A walk of 200 000 entries takes under a second of both cores when the kernel has the
//! folders in memory, a look through their names 10 ms, and the list 15 MB. A list belongs to one view: another right,
//! group or rule makes another view and so another list. What is about to be shown is opened through the jail first,
//! so that a list that is a moment old shows nothing that is gone or not the viewer's any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use disk_core::error::DiskResult;
use disk_core::jail::{MAX_DEPTH, VirtualPath};
use disk_core::view::{Place, View};
use kernel::{Timestamp, UserId};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use serde::Serialize;
use tokio::sync::{Mutex, OwnedMutexGuard};
use utoipa::ToSchema;

use super::Query;
use super::answer::Form;
use super::names::{Names, Words};
use super::walk::{SearchRequest, Walk};
use crate::host::ReadParts;
use crate::http::Member;

/// How long one call walks on.
const SPAN: Duration = Duration::from_millis(40);
/// For how long a finished list is asked before it is made again.
const FRESH: Duration = Duration::from_secs(30);
/// How long a list is kept after its last use.
const IDLE: Duration = Duration::from_secs(120);
/// All lists together, in bytes.
const MOST_BYTES: u64 = 192 * 1024 * 1024;
/// Entries in an answer.
const SHOWN: usize = 8;
/// Entries that are opened for one answer; the surplus stands in for those that are gone.
const OPENED: usize = 2 * SHOWN;

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FoundFiles {
    /// The best fits, the best first; at most 8.
    items: Vec<FoundFile>,
    /// Not all folders were looked through yet, or not lately: the same question a moment later may find more.
    searching: bool,
    /// There are more entries than are looked through; a search in a folder finds the others.
    limited: bool,
}

/// A file or folder that was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FoundFile {
    /// From the viewer's root, decoded, with a slash at the beginning; a folder's has one at the end.
    #[schema(example = "/home/训练/loss.png")]
    path: String,
    is_dir: bool,
    /// In bytes; 0 for a folder.
    size: u64,
    modified: Timestamp,
}

/// The lists of the viewers who searched a moment ago.
#[derive(Clone)]
pub(crate) struct Lists(Cache<UserId, Arc<Kept>>);

impl Default for Lists {
    fn default() -> Self {
        let weigh = |_: &UserId, kept: &Arc<Kept>| kept.bytes.load(Ordering::Relaxed);
        let lists = Cache::builder().weigher(weigh).max_capacity(MOST_BYTES).time_to_idle(IDLE);
        // The latest viewer gets the room, however often others searched before.
        Self(lists.eviction_policy(EvictionPolicy::lru()).build())
    }
}

/// A viewer's list.
pub(super) struct Kept {
    view: Arc<View>,
    list: Arc<Mutex<List>>,
    /// Of the list, as of its last call.
    bytes: AtomicU32,
}

#[derive(Default)]
pub(super) struct List {
    /// What the last finished walk found.
    whole: Option<Whole>,
    growing: Option<Growing>,
}

struct Whole {
    names: Names,
    began: Timestamp,
}

struct Growing {
    names: Names,
    walk: Walk,
    began: Timestamp,
}

impl Lists {
    /// The member's list, which is a new one after a change of their view.
    pub(super) fn of(&self, member: &Member) -> Arc<Kept> {
        let known = self.0.get(&member.actor.id).filter(|kept| Arc::ptr_eq(&kept.view, &member.view));
        known.unwrap_or_else(|| {
            let (view, list) = (Arc::clone(&member.view), Arc::default());
            let kept = Arc::new(Kept { view, list, bytes: AtomicU32::default() });
            self.0.insert(member.actor.id, Arc::clone(&kept));
            kept
        })
    }

    /// Counts a list that has grown.
    pub(super) fn weigh_again(&self, member: UserId, kept: Arc<Kept>, bytes: usize) {
        kept.bytes.store(u32::try_from(bytes).unwrap_or(u32::MAX), Ordering::Relaxed);
        self.0.insert(member, kept);
    }
}

impl Kept {
    /// The list, for one call at a time.
    pub(super) async fn list(&self) -> OwnedMutexGuard<List> {
        Arc::clone(&self.list).lock_owned().await
    }
}

impl List {
    /// Walks on for a moment and returns the best fits of what is known. Blocks.
    pub(super) fn find(&mut self, parts: &ReadParts, member: &Member, words: &Words) -> DiskResult<FoundFiles> {
        self.go_on(parts, member)?;
        let names = self.whole.as_ref().map(|whole| &whole.names);
        let names = names.or(self.growing.as_ref().map(|growing| &growing.names));
        let paths = names.map(|names| names.best(words, OPENED)).unwrap_or_default();
        let items = paths.iter().filter_map(|path| opened(parts, member, path)).take(SHOWN).collect();
        let limited = names.is_some_and(Names::is_full);
        Ok(FoundFiles { items, searching: self.growing.is_some(), limited })
    }

    fn go_on(&mut self, parts: &ReadParts, member: &Member) -> DiskResult<()> {
        let now = parts.clock.now();
        let is_old = self.whole.as_ref().is_none_or(|whole| whole.began.plus(FRESH) < now);
        if self.growing.is_none() && is_old {
            let request = SearchRequest { query: Query::default(), form: Form::Names, depth: MAX_DEPTH };
            let walk = Walk::start(parts.clone(), member, &VirtualPath::default(), request)?;
            self.growing = Some(Growing { names: Names::default(), walk, began: now });
        }
        let ends = Instant::now() + SPAN;
        while let Some(mut growing) = self.growing.take() {
            let written = growing.walk.go_on();
            growing.names.take(&written);
            if growing.walk.is_done() || growing.names.is_full() {
                self.whole = Some(Whole { names: growing.names, began: growing.began });
            } else {
                self.growing = Some(growing);
                if Instant::now() >= ends {
                    break;
                }
            }
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        let whole = self.whole.as_ref().map_or(0, |whole| whole.names.bytes());
        whole + self.growing.as_ref().map_or(0, |growing| growing.names.bytes())
    }
}

/// An entry as it is now; `None` when it is gone, or not in the view any more.
fn opened(parts: &ReadParts, member: &Member, path: &str) -> Option<FoundFile> {
    let at = path.split('/').fold(VirtualPath::default(), |above, name| above.join(name));
    let place = member.view.place(&at);
    member.view.check_made_up(&place).ok()?;
    let (is_dir, size, modified) = match place {
        Place::At(location) => {
            let meta = parts.jail.find(&location).ok()?.meta;
            let size = if meta.is_folder() { 0 } else { meta.size };
            (meta.is_folder(), size, meta.modified.timestamp())
        }
        Place::Root | Place::Shelf(_) => (true, 0, parts.clock.now()),
        Place::Nowhere => return None,
    };
    let path = format!("/{path}{}", if is_dir { "/" } else { "" });
    Some(FoundFile { path, is_dir, size, modified })
}
