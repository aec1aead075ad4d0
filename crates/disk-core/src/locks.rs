//! Locks on names, so that of two changes of one name the second sees what the first did.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Serializes checking a name and putting an entry in its place. Held only for those calls of the file system, never
/// across an `await`.
#[derive(Debug)]
pub struct NameLocks {
    shards: [Mutex<()>; 64],
    hasher: RandomState,
}

impl Default for NameLocks {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl NameLocks {
    /// The lock for a name in the folder with this inode.
    pub(crate) fn hold(&self, folder: u64, name: &OsStr) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one((folder, name));
        let index = usize::try_from(hash % 64).unwrap_or_default();
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
