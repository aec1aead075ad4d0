//! The portal's chores in progress: the portal returns them until they are reported.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Chores that have begun and are not reported yet.
#[derive(Debug)]
pub(crate) struct UnderWay<C>(Arc<Mutex<Vec<C>>>);

impl<C> Clone for UnderWay<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> Default for UnderWay<C> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<C: Clone + PartialEq> UnderWay<C> {
    fn chores(&self) -> MutexGuard<'_, Vec<C>> {
        // Each critical section is one insertion or removal, so a poisoned lock leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when it is already in progress.
    pub(crate) fn begin(&self, chore: &C) -> bool {
        let mut chores = self.chores();
        let new = !chores.contains(chore);
        if new {
            chores.push(chore.clone());
        }
        new
    }

    pub(crate) fn end(&self, chore: &C) {
        self.chores().retain(|other| other != chore);
    }
}
