//! A network for each tenant, so that a workload reaches neither those of others nor the machine's own services or
//! link-local addresses.
//!
//! `plan` is pure: names and addresses. `place` creates a network when a workload starts and connects its container to
//! it. `guard` has the machine isolate the networks, `unused` removes networks without containers, and `diagnosis`
//! tells whether all of that holds. The engine alone knows which networks exist; no database holds anything of them.

mod diagnosis;
mod guard;
mod place;
mod plan;
mod unused;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kernel::Timestamp;
use machine_helper::{BridgeName, Guard};
use tokio::sync::{Mutex as AsyncMutex, RwLock};

use super::DockerRuntime;
use crate::{Error, Result};

pub(super) use place::Home;

/// What is remembered of an engine's networks. Nothing here needs to outlive the process.
#[derive(Debug, Default)]
pub(super) struct Networks {
    /// Held for reading from the look at a tenant's network until a container is in it; held for writing while unused
    /// networks are removed.
    pub(super) in_use: RwLock<()>,
    /// Held while a subnet is chosen, since two concurrent choices would be the same.
    addresses: AsyncMutex<()>,
    /// Held while the machine's network guard is applied.
    guarding: AsyncMutex<()>,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// The guard that the machine was asked to apply, and when.
    guard: Option<(Guard, Timestamp)>,
    /// The engine did not answer, so its machine may have been restarted without its rules.
    was_away: bool,
    /// Networks found unused at the last look.
    unused: HashSet<String>,
}

impl Networks {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change below is whole in itself, so a panic elsewhere leaves nothing half done.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the machine was asked to apply this guard after `after`.
    fn guarded(&self, guard: &Guard, after: Timestamp) -> bool {
        self.memory().guard.as_ref().is_some_and(|(known, at)| known == guard && *at > after)
    }

    /// Whether the machine was asked to isolate this bridge.
    fn guards(&self, bridge: &BridgeName) -> bool {
        self.memory().guard.as_ref().is_some_and(|(known, _)| known.bridges().contains(bridge))
    }

    /// Notes the guard that the machine is asked to apply.
    fn note_guard(&self, guard: Guard, at: Timestamp) {
        self.memory().guard = Some((guard, at));
    }

    /// Stores the networks that are unused now, and returns those that already were at the last look.
    fn unused_twice(&self, unused: HashSet<String>) -> Vec<String> {
        let mut memory = self.memory();
        let twice = unused.intersection(&memory.unused).cloned().collect();
        memory.unused = unused;
        twice
    }
}

impl DockerRuntime {
    /// Notices that the engine was away.
    pub(super) fn noticed<T>(&self, answer: Result<T>) -> Result<T> {
        let mut memory = self.networks.memory();
        match &answer {
            Err(Error::Unreachable(_)) => memory.was_away = true,
            _ if memory.was_away => (memory.was_away, memory.guard) = (false, None),
            _ => {}
        }
        answer
    }
}
