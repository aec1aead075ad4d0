//! The counts of all spaces, and room that is promised to changes under way.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::{Clock, Timestamp};

use super::measure;
use crate::error::{DiskError, DiskResult};
use crate::jail::{Jail, Location};
use crate::space::Space;
use crate::trash::Trash;

/// After this long a count is renewed in the background when somebody asks.
const STALE_AFTER: Duration = Duration::from_secs(10 * 60);
/// A count younger than this is good enough to refuse on.
const FRESH_FOR: Duration = Duration::from_secs(5);

/// What file systems give out at least.
const BLOCK: u64 = 4096;

/// One space's count.
#[derive(Debug, Default)]
struct Counter {
    state: Mutex<State>,
    /// Held while counting, so that one space is counted by one at a time.
    counting: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    reserved: u64,
    counted: Option<Timestamp>,
}

impl Counter {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counts.
#[derive(Debug)]
pub(crate) struct Ledger {
    jail: Arc<Jail>,
    clock: Arc<dyn Clock>,
    /// What is in it counts as use of the space that it came from.
    trash: Arc<Trash>,
    counters: Mutex<HashMap<Space, Arc<Counter>>>,
    stop: AtomicBool,
}

impl Ledger {
    pub(crate) fn new(jail: Arc<Jail>, clock: Arc<dyn Clock>, trash: Arc<Trash>) -> Self {
        Self { jail, clock, trash, counters: Mutex::default(), stop: AtomicBool::default() }
    }

    /// The disk goes down: walks end early, whatever they know by then.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Set when the disk goes down.
    pub(crate) fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn counter(&self, space: &Space) -> Arc<Counter> {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(counters.entry(space.clone()).or_default())
    }

    /// Bytes in use. Counts the space when it has not been counted, which blocks; an old count
    /// is answered as it is and renewed behind.
    pub(crate) fn used(self: &Arc<Self>, space: &Space) -> DiskResult<u64> {
        let counter = self.counter(space);
        let counted = counter.state().counted;
        match counted {
            None => self.count(space, &counter, None)?,
            Some(at) if at.plus(STALE_AFTER) < self.clock.now() => self.count_behind(space, counter.clone(), at),
            Some(_) => {}
        }
        let used = counter.state().used;
        Ok(used.saturating_add(self.trash.held(space)))
    }

    /// Whether `more` bytes beside what is there now would be over the quota, 0 being no limit:
    /// for what is written behind our back. Counts, which blocks; old trash makes room.
    pub(crate) fn is_over(self: &Arc<Self>, space: &Space, quota: u64, more: u64) -> DiskResult<bool> {
        if quota == 0 {
            return Ok(false);
        }
        let counter = self.counter(space);
        let counted = counter.state().counted;
        self.count(space, &counter, counted)?;
        let missing = self.used(space)?.saturating_add(more).saturating_sub(quota);
        Ok(missing > 0 && !self.trash.make_room(space, missing)?)
    }

    fn count_behind(self: &Arc<Self>, space: &Space, counter: Arc<Counter>, known: Timestamp) {
        let (ledger, space) = (Arc::clone(self), space.clone());
        // Ends with the disk at the latest, which sets the flag that the walk looks at.
        tokio::task::spawn_blocking(move || {
            if let Err(error) = ledger.count(&space, &counter, Some(known)) {
                tracing::warn!(error = %error, "a space could not be counted again");
            }
        });
    }

    /// Counts unless somebody else did since `known`.
    fn count(&self, space: &Space, counter: &Counter, known: Option<Timestamp>) -> DiskResult<()> {
        let _alone = counter.counting.lock().unwrap_or_else(PoisonError::into_inner);
        if counter.state().counted != known {
            return Ok(());
        }
        let now = self.clock.now();
        let used = self.walk(space)?;
        let mut state = counter.state();
        state.used = used;
        state.counted = Some(now);
        Ok(())
    }

    fn walk(&self, space: &Space) -> DiskResult<u64> {
        let names = space.names();
        let Some(name) = names.last() else { return Ok(0) };
        match self.jail.entry(&Location::of_true_names(names.clone())) {
            Ok(entry) => match measure(&entry.folder, OsStr::new(name), &self.stop) {
                Err(rustix::io::Errno::NOENT) => Ok(0),
                other => Ok(other?),
            },
            Err(DiskError::NotFound) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Sets bytes aside. `quota` 0 is no limit; then nothing needs to be counted.
    pub(crate) fn reserve(self: &Arc<Self>, space: &Space, quota: u64, bytes: u64) -> DiskResult<Reservation> {
        let counter = self.counter(space);
        let mut room = Reservation { ledger: Arc::clone(self), space: space.clone(), counter, quota, held: 0 };
        room.grow_to(bytes)?;
        Ok(room)
    }

    /// Notes a change that needed no room set aside, such as a deletion.
    pub(crate) fn add(&self, space: &Space, grown: u64, freed: u64) {
        let counter = self.counter(space);
        let mut state = counter.state();
        state.used = state.used.saturating_add(grown).saturating_sub(freed);
    }

    /// What is known of this space is no longer so; the next question counts again.
    pub(crate) fn forget(&self, space: &Space) {
        self.counter(space).state().counted = None;
    }
}

/// Room that is promised to one change; given back when dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Arc<Ledger>,
    space: Space,
    counter: Arc<Counter>,
    quota: u64,
    held: u64,
}

impl Reservation {
    /// Sets aside at least this much altogether; 507 when the quota has no room for it.
    pub(crate) fn grow_to(&mut self, bytes: u64) -> DiskResult<()> {
        // The last block is taken whole.
        let bytes = bytes.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX);
        let more = bytes.saturating_sub(self.held);
        if more == 0 {
            return Ok(());
        }
        if self.quota > 0 {
            self.ledger.used(&self.space)?;
            if !self.take(more, false) {
                // Perhaps a container made room since.
                let counted = self.counter.state().counted;
                if counted.is_some_and(|at| at.plus(FRESH_FOR) < self.ledger.clock.now()) {
                    self.ledger.count(&self.space, &self.counter, counted)?;
                }
                let fits = self.take(more, false)
                    || self.ledger.trash.make_room(&self.space, self.missing(more))? && self.take(more, false);
                if !fits {
                    return Err(DiskError::InsufficientStorage("quota exceeded"));
                }
            }
        } else {
            self.take(more, true);
        }
        self.held = bytes;
        Ok(())
    }

    /// Bytes by which this much more would be over the quota.
    fn missing(&self, more: u64) -> u64 {
        let state = self.counter.state();
        self.wanted(&state, more).saturating_sub(self.quota)
    }

    fn wanted(&self, state: &State, more: u64) -> u64 {
        let held = self.ledger.trash.held(&self.space);
        state.used.saturating_add(state.reserved).saturating_add(held).saturating_add(more)
    }

    fn take(&self, more: u64, whatever: bool) -> bool {
        let mut state = self.counter.state();
        let wanted = self.wanted(&state, more);
        let fits = whatever || wanted <= self.quota;
        if fits {
            state.reserved = state.reserved.saturating_add(more);
        }
        fits
    }

    /// The change is done: it took `grown` bytes and gave back `freed`.
    pub(crate) fn settle(self, grown: u64, freed: u64) {
        self.ledger.add(&self.space, grown, freed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.counter.state();
        state.reserved = state.reserved.saturating_sub(self.held);
    }
}
