//! What was told last, in memory, since it is told again: what people take, and which instances wrote meanwhile.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::dataset::{DiskHolder, DiskUse};
use kernel::{Timestamp, UserId};

use super::model::SpaceHolder;

/// Counting may take hours where there are very many files.
pub(super) const USE_IS_FRESH: Duration = Duration::from_secs(3 * 3600);

/// What the disk told last.
#[derive(Debug, Default)]
pub(crate) struct DiskUses {
    known: Mutex<HashMap<UserId, (u64, Timestamp)>>,
    writes: Mutex<HashMap<(SpaceHolder, String), Writes>>,
}

/// Of an instance, between the last two counts of a holder.
#[derive(Clone, Copy, Debug)]
struct Writes {
    written: u64,
    grew: bool,
}

impl DiskUses {
    fn known(&self) -> MutexGuard<'_, HashMap<UserId, (u64, Timestamp)>> {
        // One value at a time.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writes(&self) -> MutexGuard<'_, HashMap<(SpaceHolder, String), Writes>> {
        // As above.
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, uses: &[DiskUse], at: Timestamp) {
        let people = uses.iter().filter_map(|one| match one.holder {
            DiskHolder::User(id) => Some((id, (one.used, at))),
            DiskHolder::Group(_) => None,
        });
        self.known().extend(people);
    }

    /// Bytes; `None` when nobody told lately.
    pub(crate) fn of(&self, person: UserId, now: Timestamp) -> Option<u64> {
        self.known().get(&person).filter(|(_, at)| at.plus(USE_IS_FRESH) >= now).map(|(used, _)| *used)
    }

    /// Keeps how much the instances of a full holder had written when it was counted; others are forgotten.
    pub(crate) fn note_writes(&self, holder: &SpaceHolder, written: &[(String, u64)]) {
        let mut writes = self.writes();
        let before: HashMap<String, u64> = writes
            .extract_if(|(of, _), _| of == holder)
            .map(|((_, instance), writes)| (instance, writes.written))
            .collect();
        writes.extend(written.iter().map(|(instance, written)| {
            let grew = before.get(instance).is_some_and(|before| written > before);
            ((holder.clone(), instance.clone()), Writes { written: *written, grew })
        }));
    }

    /// Whether an instance is known to have written between the last two counts of this holder.
    pub(crate) fn wrote(&self, holder: &SpaceHolder, instance: &str) -> bool {
        self.writes().get(&(holder.clone(), instance.to_owned())).is_some_and(|writes| writes.grew)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wrote_is_told_from_who_did_not() {
        let (uses, holder) = (DiskUses::default(), SpaceHolder::Disk(DiskHolder::User(7)));
        let note = |written: &[(&str, u64)]| {
            let written: Vec<(String, u64)> = written.iter().map(|(id, bytes)| ((*id).to_owned(), *bytes)).collect();
            uses.note_writes(&holder, &written);
        };
        note(&[("a", 5), ("b", 5)]);
        assert!(!uses.wrote(&holder, "a"), "nothing is known of the time before");
        note(&[("a", 6), ("b", 5)]);
        assert!(uses.wrote(&holder, "a") && !uses.wrote(&holder, "b") && !uses.wrote(&holder, "c"));
        note(&[("b", 5)]);
        assert!(!uses.wrote(&holder, "a"));
        // It was started again.
        note(&[("b", 1)]);
        assert!(!uses.wrote(&holder, "b"));
    }
}
