//! Which servers' file systems limit projects, as it was found lately; in memory, since each look is a container on the
//! server.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Timestamp;

use crate::features::servers::{Check, Server};

const HOLDS_FOR: Duration = Duration::from_secs(3600);

/// The last look at each server.
#[derive(Debug, Default)]
pub(crate) struct ProjectLooks(Mutex<HashMap<String, Look>>);

#[derive(Debug)]
struct Look {
    at: Timestamp,
    path: String,
    /// The results of the server's check at that time. They change when its disk is mounted anew.
    checks: Vec<Check>,
    is_on: bool,
}

impl ProjectLooks {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Look>> {
        // Each change is a single insertion or removal, so a poisoned lock protects valid data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether projects are limited there; `None` when that is to be looked at.
    pub(super) fn last(&self, server: &Server, now: Timestamp) -> Option<bool> {
        let all = self.all();
        let holds = |look: &&Look| {
            let is_fresh = look.at <= now && now < look.at.plus(HOLDS_FOR);
            is_fresh && look.path == server.storage_path && look.checks == server.checks
        };
        all.get(&server.id).filter(holds).map(|look| look.is_on)
    }

    pub(super) fn note(&self, server: &Server, is_on: bool, now: Timestamp) {
        let (path, checks) = (server.storage_path.clone(), server.checks.clone());
        self.all().insert(server.id.clone(), Look { at: now, path, checks, is_on });
    }

    pub(super) fn forget(&self, server: &Server) {
        self.all().remove(&server.id);
    }
}
