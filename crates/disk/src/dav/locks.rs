//! Locks of WebDAV clients, kept in memory. They expire, and end with a restart. Other ways of changing files only
//! check for other people's locks: they present no lock tokens, so a person's own locks would only lock out their
//! owner.
//!
//! A lock is on a real location, because the same file has different paths in different views.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use dav_server::davpath::DavPath;
use dav_server::ls::{DavLock, DavLockSystem, LsFuture};
use disk_core::error::{DiskError, DiskResult};
use disk_core::view::Place;
use kernel::Timestamp;
use xmltree::Element;

use super::request::virtual_path;
use crate::host::Host;
use crate::http::Member;

/// Maximum time without a renewal, and the default.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
const USUAL: Duration = Duration::from_secs(10 * 60);
/// Maximum number of locks of one person.
const MOST_OF_ONE: usize = 500;

/// All locks on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct LockTable(Arc<Mutex<Vec<Held>>>);

#[derive(Clone, Debug)]
struct Held {
    names: Vec<OsString>,
    until: Timestamp,
    lock: DavLock,
}

impl Held {
    /// Whether it is on this place or, being deep, on a folder above it.
    fn covers(&self, names: &[OsString]) -> bool {
        self.names == names || (self.lock.deep && names.starts_with(&self.names))
    }

    fn is_below(&self, names: &[OsString]) -> bool {
        self.names.starts_with(names)
    }

    fn is_of(&self, principal: &str) -> bool {
        self.lock.principal.as_deref() == Some(principal)
    }
}

impl LockTable {
    /// 423 when another person holds a lock on this location, on a folder above it or, if `deep`, below.
    pub(super) fn refuse_foreign(
        &self,
        now: Timestamp,
        names: &[OsString],
        username: &str,
        deep: bool,
    ) -> DiskResult<()> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let touches = |held: &&Held| held.until > now && (held.covers(names) || (deep && held.is_below(names)));
        let found: Vec<&Held> = all.iter().filter(touches).collect();
        // Any one of several shared locks suffices.
        let has_one = found.iter().any(|held| held.is_of(username));
        let in_the_way = |held: &&Held| !(held.is_of(username) || held.lock.shared && has_one);
        if found.iter().any(in_the_way) { Err(DiskError::Locked) } else { Ok(()) }
    }
}

/// The locks, as one person sees them.
#[derive(Clone)]
pub(super) struct Locks {
    host: Host,
    member: Member,
}

impl std::fmt::Debug for Locks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Locks").finish_non_exhaustive()
    }
}

impl Locks {
    pub(super) fn new(host: &Host, member: &Member) -> Self {
        Self { host: host.clone(), member: member.clone() }
    }

    /// Locks that have not expired.
    fn held(&self) -> MutexGuard<'_, Vec<Held>> {
        let now = self.host.clock.now();
        let mut held = self.host.dav.locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|held| held.until > now);
        held
    }

    /// The real location of a path. Virtual folders cannot be locked, so they have none.
    fn names(&self, path: &DavPath) -> Vec<OsString> {
        let place = virtual_path(path).map_or(Place::Nowhere, |path| self.member.view.place(&path));
        match place {
            Place::At(location) => location.names,
            Place::Root | Place::Shelf(_) | Place::Nowhere => vec![OsString::from("/")],
        }
    }

    fn last(&self, timeout: Option<Duration>) -> (Duration, Timestamp) {
        let timeout = timeout.unwrap_or(USUAL).min(LONGEST);
        (timeout, self.host.clock.now().plus(timeout))
    }

    fn check_now(
        &self,
        names: &[OsString],
        principal: Option<&str>,
        deep: bool,
        tokens: &[String],
    ) -> Result<(), DavLock> {
        let all = self.held();
        let shown =
            |held: &Held| tokens.contains(&held.lock.token) && principal.is_none_or(|principal| held.is_of(principal));
        let covering: Vec<&Held> = all.iter().filter(|held| held.covers(names)).collect();
        // Any one of several shared locks suffices.
        let has_one = covering.iter().any(|held| shown(held));
        let in_the_way = covering.into_iter().find(|held| !(shown(held) || (held.lock.shared && has_one)));
        let below = || all.iter().find(|held| deep && held.is_below(names) && !held.covers(names) && !shown(held));
        in_the_way.or_else(below).map_or(Ok(()), |held| Err(held.lock.clone()))
    }

    fn lock_now(&self, names: Vec<OsString>, mut lock: DavLock) -> Result<DavLock, DavLock> {
        let (timeout, until) = self.last(lock.timeout);
        lock.timeout = Some(timeout);
        lock.timeout_at = Some(SystemTime::now() + timeout);
        let mut all = self.held();
        let touches = |held: &&Held| held.covers(&names) || (lock.deep && held.is_below(&names));
        if let Some(other) = all.iter().filter(touches).find(|held| !(lock.shared && held.lock.shared)) {
            return Err(other.lock.clone());
        }
        if all.iter().filter(|held| held.lock.principal == lock.principal).count() >= MOST_OF_ONE {
            return Err(lock);
        }
        all.push(Held { names, until, lock: lock.clone() });
        Ok(lock)
    }

    fn refresh_now(&self, names: &[OsString], token: &str, timeout: Option<Duration>) -> Option<DavLock> {
        let (timeout, until) = self.last(timeout);
        let mut all = self.held();
        let held = all
            .iter_mut()
            .find(|held| held.lock.token == token && held.covers(names) && held.is_of(&self.member.actor.username))?;
        held.until = until;
        held.lock.timeout = Some(timeout);
        held.lock.timeout_at = Some(SystemTime::now() + timeout);
        Some(held.lock.clone())
    }

    fn unlock_now(&self, names: &[OsString], token: &str) -> Result<(), ()> {
        let mut all = self.held();
        let before = all.len();
        all.retain(|held| held.lock.token != token || !held.covers(names) || !held.is_of(&self.member.actor.username));
        if all.len() < before { Ok(()) } else { Err(()) }
    }
}

impl DavLockSystem for Locks {
    fn lock(
        &'_ self,
        path: &DavPath,
        principal: Option<&str>,
        owner: Option<&Element>,
        timeout: Option<Duration>,
        shared: bool,
        deep: bool,
    ) -> LsFuture<'_, Result<DavLock, DavLock>> {
        let lock = DavLock {
            token: uuid::Uuid::new_v4().urn().to_string(),
            path: Box::new(path.clone()),
            principal: principal.map(str::to_owned),
            owner: owner.map(|owner| Box::new(owner.clone())),
            timeout_at: None,
            timeout,
            shared,
            deep,
        };
        ready(self.lock_now(self.names(path), lock))
    }

    fn unlock(&'_ self, path: &DavPath, token: &str) -> LsFuture<'_, Result<(), ()>> {
        ready(self.unlock_now(&self.names(path), token))
    }

    fn refresh(&'_ self, path: &DavPath, token: &str, timeout: Option<Duration>) -> LsFuture<'_, Result<DavLock, ()>> {
        ready(self.refresh_now(&self.names(path), token, timeout).ok_or(()))
    }

    fn check(
        &'_ self,
        path: &DavPath,
        principal: Option<&str>,
        ignore_principal: bool,
        deep: bool,
        submitted_tokens: &[String],
    ) -> LsFuture<'_, Result<(), DavLock>> {
        let principal = principal.filter(|_| !ignore_principal);
        ready(self.check_now(&self.names(path), principal, deep, submitted_tokens))
    }

    fn discover(&'_ self, path: &DavPath) -> LsFuture<'_, Vec<DavLock>> {
        let names = self.names(path);
        let all = self.held();
        ready(all.iter().filter(|held| held.covers(&names)).map(|held| held.lock.clone()).collect())
    }

    fn delete(&'_ self, path: &DavPath) -> LsFuture<'_, Result<(), ()>> {
        let names = self.names(path);
        self.held().retain(|held| !held.is_below(&names));
        ready(Ok(()))
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> LsFuture<'a, T> {
    Box::pin(std::future::ready(value))
}
