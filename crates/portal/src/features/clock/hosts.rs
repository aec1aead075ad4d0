//! The clocks of separate storage hosts, as they report them themselves. In memory, because reports are repeated.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::{StorageHostClock, Timestamp};

use super::words;
use crate::Portal;
use crate::features::peers::{Heard, Word};

/// A host reports every 15 s; afterwards its clock is unknown.
const FRESH_FOR: Duration = Duration::from_secs(90);
/// A host that is silent for longer counts as removed.
const REMEMBERED: Duration = Duration::from_secs(24 * 3600);

/// A storage host whose clock was not trusted at the last report.
#[derive(Clone, Debug)]
pub(crate) struct HeldHost {
    pub(crate) id: String,
    pub(crate) name: String,
    /// How the wall clock differs from the host's time; `None` without a fresh report.
    pub(crate) difference: Option<String>,
}

/// The last reports, by host.
#[derive(Debug, Default)]
pub(crate) struct HostClocks(Mutex<HashMap<String, (StorageHostClock, Timestamp)>>);

impl HostClocks {
    fn known(&self) -> MutexGuard<'_, HashMap<String, (StorageHostClock, Timestamp)>> {
        // Each change is a single one, so a poisoned lock protects valid data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, report: StorageHostClock, now: Timestamp) {
        let mut known = self.known();
        known.retain(|_, (_, at)| at.plus(REMEMBERED) >= now);
        known.insert(report.host.clone(), (report, now));
    }

    fn held(&self, now: Timestamp) -> Vec<HeldHost> {
        let known = self.known();
        let remembered = known.values().filter(|(report, at)| report.held && at.plus(REMEMBERED) >= now);
        let held = remembered.map(|(report, at)| HeldHost {
            id: report.host.clone(),
            name: report.name.clone(),
            difference: (at.plus(FRESH_FOR) >= now).then(|| words::difference(report.wall, report.now, &report.name)),
        });
        held.collect()
    }
}

/// Keeps a storage host's report that another portal received.
pub(crate) fn hear_peers(portal: &Portal, heard: Heard<'_>) {
    if let Heard::Word(Word::StorageHostClock(report)) = heard {
        portal.host_clocks().note(report.clone(), portal.now());
    }
}

impl Portal {
    /// Keeps a storage host's report about its clock, also at the other portals: only one of them looks for faults.
    pub fn note_storage_host_clock(&self, report: StorageHostClock) {
        self.host_clocks().note(report.clone(), self.now());
        self.tell_peers(Word::StorageHostClock(report));
    }
}

/// Storage hosts whose clock is not trusted.
pub(crate) fn held_hosts(portal: &Portal) -> Vec<HeldHost> {
    portal.host_clocks().held(portal.now())
}
