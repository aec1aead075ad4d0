//! The counts of all spaces.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use kernel::{Clock, Timestamp};
use rustix::fs::fstatvfs;

use super::measure::{extent_at, measure_together};
use super::pace::{ASKED_PERCENT, thread_time};
use super::state::State;
use super::{Account, Allowance, Pace, Reservation};
use crate::error::{DiskError, DiskResult};
use crate::jail::{Jail, Location, Meta, names_in};
use crate::reason::Reason;
use crate::space::{DATASETS, Space};
use crate::trash::Trash;

/// A count younger than this is good enough to refuse on.
const FRESH_FOR: Duration = Duration::from_secs(5);

/// Bytes of a file system of this size that uploads leave free where the database lies on it as well.
fn margin(size: u64) -> u64 {
    (size / 100).clamp(4 << 20, 1 << 30)
}

/// A missing space is counted once it exists.
fn counted_at(now: Timestamp, used: u64) -> Option<Timestamp> {
    (used > 0).then_some(now)
}

/// Use of an account.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub used: u64,
    /// Use of datasets alone.
    pub datasets: u64,
    /// When it was counted; of several counts the oldest.
    pub counted: Timestamp,
}

/// The counts.
#[derive(Debug)]
pub struct Ledger {
    jail: Arc<Jail>,
    clock: Arc<dyn Clock>,
    /// Its entries count to the space that they came from.
    trash: Arc<Trash>,
    /// Under one lock, because a quota can apply to several spaces.
    states: Mutex<HashMap<Space, State>>,
    /// Held while counting, so that a space is counted by one thread at a time.
    counting: Mutex<HashMap<Space, Arc<Mutex<()>>>>,
    /// Held while counting in the background on request: one count at a time keeps all of them to their share of a
    /// core.
    asked: Mutex<Pace>,
    stop: AtomicBool,
    /// The database's files share the root's file system.
    beside_database: bool,
}

impl Ledger {
    /// Nothing is counted yet. `beside_database`: the database's files lie on the root's file system.
    pub fn new(jail: Arc<Jail>, clock: Arc<dyn Clock>, trash: Arc<Trash>, beside_database: bool) -> Self {
        let (states, counting, asked) = (Mutex::default(), Mutex::default(), Mutex::new(Pace::new(ASKED_PERCENT)));
        Self { jail, clock, trash, states, counting, asked, stop: AtomicBool::default(), beside_database }
    }

    /// Whether writes into this space take space that the database needs.
    pub fn is_beside_database(&self, space: &Space) -> bool {
        if !self.beside_database {
            return false;
        }
        // A missing space will be created on the root's file system.
        let folder = self.jail.find(&Location::of_true_names(space.names()));
        folder.map_or(true, |folder| Meta::of(self.jail.root()).is_ok_and(|root| root.mount == folder.meta.mount))
    }

    /// Whether the root's file system would keep its margin after `more` bytes.
    pub fn leaves_margin(&self, more: u64) -> DiskResult<bool> {
        let system = fstatvfs(self.jail.root())?;
        let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
        Ok(bytes(system.f_bavail).saturating_sub(more) >= margin(bytes(system.f_blocks)))
    }

    /// Refuses to write more where the database needs the room that is left.
    pub fn check_margin(&self) -> DiskResult<()> {
        if self.leaves_margin(0)? { Ok(()) } else { Err(DiskError::InsufficientStorage(Reason::DiskFull)) }
    }

    /// Stops the ledger: walks end early, with a partial result.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Set when the disk stops.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// 503 once the disk stops, when what was measured before may be a part only.
    pub(crate) fn check_running(&self) -> DiskResult<()> {
        if self.stop.load(Ordering::Relaxed) { Err(DiskError::Stopping) } else { Ok(()) }
    }

    fn states(&self) -> MutexGuard<'_, HashMap<Space, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, space: &Space) -> State {
        self.states().get(space).copied().unwrap_or_default()
    }

    /// Changes the state of a space, and of the one that contains it.
    fn change(&self, space: &Space, change: impl Fn(&mut State)) {
        let mut states = self.states();
        for space in [Some(space.clone()), space.above()].into_iter().flatten() {
            change(states.entry(space).or_default());
        }
    }

    /// Returns the use. Counts a space that was never counted, which blocks; an old count is returned and renewed in
    /// the background.
    pub fn used(self: &Arc<Self>, space: &Space) -> DiskResult<u64> {
        let state = self.state(space);
        if state.counted.is_none() {
            self.count(space, None)?;
        } else if state.is_stale(self.clock.now()) {
            self.count_behind(space);
        }
        Ok(self.state(space).used.saturating_add(self.trash.held(space)))
    }

    /// The same of all spaces of an account.
    pub fn used_by(self: &Arc<Self>, account: &Account) -> DiskResult<Taken> {
        let mut taken = Taken { used: 0, datasets: 0, counted: self.clock.now() };
        for space in &account.spaces {
            let used = self.used(space)?;
            taken.counted = self.state(space).counted.map_or(taken.counted, |at| at.min(taken.counted));
            taken.used = taken.used.saturating_add(used);
            if matches!(space, Space::Dataset(_)) {
                taken.datasets = taken.datasets.saturating_add(used);
            }
        }
        Ok(taken)
    }

    /// The known use without counting, which includes the disk's own deletions; `None` if a space was never counted.
    pub fn known(&self, account: &Account) -> Option<Taken> {
        let mut taken = Taken { used: 0, datasets: 0, counted: self.clock.now() };
        for space in &account.spaces {
            let state = self.state(space);
            if state.counted.is_none() && state.used > 0 {
                return None;
            }
            let used = state.used.saturating_add(self.trash.held(space));
            taken.counted = state.counted.map_or(taken.counted, |at| at.min(taken.counted));
            taken.used = taken.used.saturating_add(used);
            if matches!(space, Space::Dataset(_)) {
                taken.datasets = taken.datasets.saturating_add(used);
            }
        }
        Some(taken)
    }

    /// The same with a new count, which blocks. Repeated requests take no more of a core than counting may; the disk's
    /// own changes are known anyway.
    pub fn count_again(self: &Arc<Self>, account: &Account) -> DiskResult<Taken> {
        for space in &account.spaces {
            self.count_unless_rests(space)?;
        }
        self.used_by(account)
    }

    fn count_unless_rests(&self, space: &Space) -> DiskResult<()> {
        let state = self.state(space);
        if state.rests(Instant::now()) { Ok(()) } else { self.count(space, state.counted) }
    }

    /// Whether `more` bytes on top of the present use would exceed a quota: for writes that bypass the disk. Counts
    /// like [`Ledger::count_again`], which blocks; old trash makes space.
    pub fn is_over(self: &Arc<Self>, space: &Space, allowance: &Allowance, more: u64) -> DiskResult<bool> {
        if !allowance.is_limited() {
            return Ok(false);
        }
        self.count_unless_rests(space)?;
        for account in allowance.accounts() {
            let missing = self.used_by(account)?.used.saturating_add(more).saturating_sub(account.quota);
            if missing > 0 && !self.trash.make_room(&account.spaces, missing)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts spaces that were never counted, which blocks.
    pub(super) fn know(&self, allowance: &Allowance) -> DiskResult<()> {
        for space in allowance.accounts().iter().flat_map(|account| &account.spaces) {
            if self.state(space).counted.is_none() {
                self.count(space, None)?;
            }
        }
        Ok(())
    }

    fn turn(&self, space: &Space) -> Arc<Mutex<()>> {
        let mut counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(counting.entry(space.clone()).or_default())
    }

    fn count_behind(self: &Arc<Self>, space: &Space) {
        if matches!(self.asked.try_lock(), Err(TryLockError::WouldBlock)) {
            // Another count is in progress; a later request gets its turn.
            return;
        }
        let (ledger, space) = (Arc::clone(self), space.clone());
        // Ends with the disk at the latest, which sets the flag that the walk checks.
        tokio::task::spawn_blocking(move || {
            let mut pace = ledger.asked.lock().unwrap_or_else(PoisonError::into_inner);
            // It may have waited for another count of the same.
            if !ledger.state(&space).is_stale(ledger.clock.now()) {
                return;
            }
            if let Err(error) = ledger.count_at_pace(&space, &mut pace) {
                tracing::warn!(error = %error, "a space could not be counted again");
            }
        });
    }

    /// Counts a space at a pace, which may block for long and holds up nothing else. Bytes that the disk adds meanwhile
    /// are added to it, so that the count is too high rather than too low.
    pub fn count_at_pace(&self, space: &Space, pace: &mut Pace) -> DiskResult<()> {
        let (begun, before) = (self.clock.now(), self.state(space));
        pace.begin();
        let walked = self.walk(space, Some(&mut *pace));
        let took = pace.end();
        let used = walked?;
        let mut states = self.states();
        let state = states.entry(space.clone()).or_default();
        // Interrupted, or outdated by a newer count.
        let outdated = state.counted.is_some_and(|at| at > begun) || state.forgotten != before.forgotten;
        if self.stop.load(Ordering::Relaxed) || outdated {
            return Ok(());
        }
        let used = used.saturating_add_signed((state.net - before.net).max(0));
        (state.used, state.counted, state.took) = (used, counted_at(begun, used), took);
        Ok(())
    }

    /// Counts unless another thread did since `known`.
    fn count(&self, space: &Space, known: Option<Timestamp>) -> DiskResult<()> {
        let turn = self.turn(space);
        let _alone = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.state(space).counted != known {
            return Ok(());
        }
        let (now, begun) = (self.clock.now(), thread_time());
        let used = self.walk(space, None)?;
        let took = thread_time().saturating_sub(begun);
        let mut states = self.states();
        let state = states.entry(space.clone()).or_default();
        (state.used, state.counted, state.took, state.at_once) =
            (used, counted_at(now, used), took, Some((Instant::now(), took)));
        Ok(())
    }

    fn walk(&self, space: &Space, pace: Option<&mut Pace>) -> DiskResult<u64> {
        let walked = match space {
            Space::Dataset(_) => self.walk_dataset(space, pace),
            _ => self.walk_folder(&space.names(), pace),
        };
        match walked {
            Err(DiskError::NotFound) => Ok(0),
            other => other,
        }
    }

    fn walk_folder(&self, names: &[OsString], pace: Option<&mut Pace>) -> DiskResult<u64> {
        let Some(name) = names.last() else { return Ok(0) };
        let entry = self.jail.entry(&Location::of_true_names(names.to_vec()))?;
        Ok(extent_at(&entry.folder, OsStr::new(name), &self.stop, pace)?.used)
    }

    /// Together, because versions share equal content.
    fn walk_dataset(&self, space: &Space, pace: Option<&mut Pace>) -> DiskResult<u64> {
        let datasets = self.jail.find(&Location::of_true_names(vec![DATASETS.into()]))?.handle;
        let mut names = names_in(&datasets)?;
        names.retain(|name| name.to_str().is_some_and(|name| Space::dataset(name) == *space));
        Ok(measure_together(&datasets, &names, &self.stop, pace)?)
    }

    /// Sets bytes aside. Without a limit nothing needs to be counted.
    pub fn reserve(self: &Arc<Self>, space: &Space, allowance: &Allowance, bytes: u64) -> DiskResult<Reservation> {
        Reservation::new(Arc::clone(self), space.clone(), allowance.clone(), bytes)
    }

    /// Reserves bytes that were promised before, without a limit.
    pub fn promise(self: &Arc<Self>, space: &Space, bytes: u64) -> Reservation {
        Reservation::promised(Arc::clone(self), space.clone(), bytes)
    }

    /// Promises these bytes unless that would be over a quota; whether it was not. Every space of the
    /// quotas has been counted.
    pub(super) fn take(&self, space: &Space, allowance: &Allowance, bytes: u64) -> bool {
        let mut states = self.states();
        let fits = |account: &Account| self.wanted(&states, account, bytes) <= account.quota;
        if !allowance.accounts().iter().all(fits) {
            return false;
        }
        for space in [Some(space.clone()), space.above()].into_iter().flatten() {
            let state = states.entry(space).or_default();
            state.reserved = state.reserved.saturating_add(bytes);
        }
        true
    }

    /// Releases reserved bytes that are not needed any more.
    pub(super) fn give_back(&self, space: &Space, bytes: u64) {
        self.change(space, |state| state.reserved = state.reserved.saturating_sub(bytes));
    }

    /// Use of an account with `more` bytes.
    fn wanted(&self, states: &HashMap<Space, State>, account: &Account, more: u64) -> u64 {
        account.spaces.iter().fold(more, |sum, space| {
            let state = states.get(space).copied().unwrap_or_default();
            let taken = state.used.saturating_add(state.reserved).saturating_add(self.trash.held(space));
            sum.saturating_add(taken)
        })
    }

    /// Counts again, since a container may have made space. Datasets are skipped: containers only read them. Repeated
    /// uploads at the limit take no more of a core than counting may.
    pub(super) fn recount(&self, allowance: &Allowance) -> DiskResult<()> {
        for space in allowance.accounts().iter().flat_map(|account| &account.spaces) {
            let (state, now) = (self.state(space), self.clock.now());
            let is_old = match space {
                Space::Dataset(_) => state.is_stale(now),
                _ => state.counted.is_some_and(|at| at.plus(FRESH_FOR) < now),
            };
            if is_old {
                self.count_unless_rests(space)?;
            }
        }
        Ok(())
    }

    /// Purges old trash until `bytes` more fit; false when that is impossible.
    pub(super) fn make_room(&self, allowance: &Allowance, bytes: u64) -> DiskResult<bool> {
        for account in allowance.accounts() {
            let missing = self.wanted(&self.states(), account, bytes).saturating_sub(account.quota);
            if missing > 0 && !self.trash.make_room(&account.spaces, missing)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes a change without a reservation, such as a deletion.
    pub fn add(&self, space: &Space, grown: u64, freed: u64) {
        self.change(space, |state| {
            state.used = state.used.saturating_add(grown).saturating_sub(freed);
            state.net = state.net.saturating_add_unsigned(grown).saturating_sub_unsigned(freed);
        });
    }

    /// Invalidates the count of this space; the next query counts again.
    pub fn forget(&self, space: &Space) {
        self.change(space, |state| {
            state.counted = None;
            state.forgotten += 1;
        });
    }
}
