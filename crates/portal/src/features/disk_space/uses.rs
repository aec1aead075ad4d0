//! The last reports, in memory because they are repeated: the usage of people and groups, and which instances wrote
//! meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Timestamp;
use kernel::dataset::{DiskHolder, DiskUse};

use super::model::{SpaceHolder, fresh_for, gap};

/// The last reports of the disk.
#[derive(Debug, Default)]
pub(crate) struct DiskUses {
    known: Mutex<HashMap<DiskHolder, Told>>,
    writes: Mutex<HashMap<SpaceHolder, Writes>>,
}

/// A holder's usage.
#[derive(Clone, Copy, Debug)]
struct Told {
    used: u64,
    at: Timestamp,
    /// The time between the last two reports.
    gap: Duration,
}

/// The bytes that instances had written at a holder's last count.
#[derive(Debug)]
struct Writes {
    counted: Timestamp,
    /// Bytes, by instance.
    written: HashMap<String, u64>,
    /// The instances that had written less at the count before; `None`: that count is unknown.
    grew: Option<HashSet<String>>,
}

impl DiskUses {
    fn known(&self) -> MutexGuard<'_, HashMap<DiskHolder, Told>> {
        // Each change is a single insertion, so a poisoned lock protects valid data.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writes(&self) -> MutexGuard<'_, HashMap<SpaceHolder, Writes>> {
        // As above.
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, uses: &[DiskUse], at: Timestamp) {
        let mut known = self.known();
        for one in uses {
            let gap = gap(known.get(&one.holder).map(|before| (before.at, before.gap)), at);
            known.insert(one.holder, Told { used: one.used, at, gap });
        }
    }

    /// Bytes; `None` without a fresh report.
    pub(crate) fn of(&self, holder: DiskHolder, now: Timestamp) -> Option<u64> {
        self.known().get(&holder).filter(|told| told.at.plus(fresh_for(told.gap)) >= now).map(|told| told.used)
    }

    /// Whether the instances' written bytes at this count are stored already.
    pub(crate) fn knows_writes(&self, holder: &SpaceHolder, counted: Timestamp) -> bool {
        self.writes().get(holder).is_some_and(|known| known.counted == counted && !known.written.is_empty())
    }

    /// Keeps how much the instances of a full holder had written when it was counted.
    pub(crate) fn note_writes(&self, holder: &SpaceHolder, counted: Timestamp, written: HashMap<String, u64>) {
        let mut writes = self.writes();
        let grew = match writes.get_mut(holder) {
            Some(known) if known.counted == counted => {
                // After a start some are measured only later than they are counted.
                for (instance, bytes) in written {
                    known.written.entry(instance).or_insert(bytes);
                }
                return;
            }
            Some(before) => {
                let more = |(instance, bytes): &(&String, &u64)| {
                    before.written.get(*instance).is_some_and(|then| *bytes > then)
                };
                Some(written.iter().filter(more).map(|(instance, _)| instance.clone()).collect())
            }
            None => None,
        };
        writes.insert(holder.clone(), Writes { counted, written, grew });
    }

    /// Keeps only these holders' written bytes.
    pub(crate) fn forget_writes_except(&self, full: &HashSet<SpaceHolder>) {
        self.writes().retain(|holder, _| full.contains(holder));
    }

    /// The instances known to have written between the last two counts of this holder; `None` until there are two, as
    /// after a start.
    pub(crate) fn writers(&self, holder: &SpaceHolder) -> Option<HashSet<String>> {
        self.writes().get(holder)?.grew.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wrote_is_told_from_who_did_not() {
        let (uses, holder) = (DiskUses::default(), SpaceHolder::Disk(DiskHolder::User(7)));
        let note = |at: i64, written: &[(&str, u64)]| {
            let written = written.iter().map(|(id, bytes)| ((*id).to_owned(), *bytes)).collect();
            uses.note_writes(&holder, Timestamp::from_millis(at), written);
        };
        let wrote = |instance: &str| uses.writers(&holder).map(|writers| writers.contains(instance));
        note(1, &[]);
        assert!(!uses.knows_writes(&holder, Timestamp::from_millis(1)), "nothing was measured by then");
        note(1, &[("a", 5), ("b", 5)]);
        note(1, &[("a", 7), ("b", 7)]);
        assert!(uses.knows_writes(&holder, Timestamp::from_millis(1)));
        assert_eq!(wrote("a"), None, "nothing is known of the time before");
        note(2, &[("a", 6), ("b", 5)]);
        assert_eq!((wrote("a"), wrote("b"), wrote("c")), (Some(true), Some(false), Some(false)));
        note(3, &[("b", 5)]);
        assert_eq!(wrote("a"), Some(false));
        // It was started again.
        note(4, &[("b", 1)]);
        assert_eq!(wrote("b"), Some(false));
        uses.forget_writes_except(&HashSet::from([holder.clone()]));
        assert_eq!(wrote("b"), Some(false));
        uses.forget_writes_except(&HashSet::new());
        assert_eq!(wrote("b"), None);
    }
}
