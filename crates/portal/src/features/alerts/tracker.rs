//! Compares looks with each other, without I/O, so that a momentary fault is no alert and alerts do not flap.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Timestamp;

use super::model::{AlertKind, AlertSeverity};

/// A fault is over once it was not seen for this long.
const OVER_AFTER: Duration = Duration::from_secs(60);
/// After a longer pause, for example while another portal led, durations measured before are discarded.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(120);
/// Writing down every look would keep the disk busy for nothing.
const NOTED_EVERY: Duration = Duration::from_secs(60);

type Key = (AlertKind, String);

/// The result of one look for one object.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) kind: AlertKind,
    /// Stable, such as a server's id.
    pub(super) object: String,
    pub(super) reading: Reading,
}

/// The state of an object. Objects without a condition are fine.
#[derive(Clone, Debug)]
pub(super) enum Reading {
    Faulty(Fault),
    /// Unknown, or between the limits: the last known state still holds.
    Unsure,
}

/// A fault of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) severity: AlertSeverity,
    /// The object's name for people.
    pub(super) name: String,
    pub(super) words: String,
    pub(super) link: String,
    /// The fault becomes an alert when it has been seen for this long.
    pub(super) after: Duration,
}

/// An episode that is not over.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    pub(super) id: String,
    pub(super) kind: AlertKind,
    pub(super) object: String,
    pub(super) name: String,
    pub(super) severity: AlertSeverity,
    pub(super) words: String,
    pub(super) last_seen: Timestamp,
    pub(super) told: Option<AlertSeverity>,
    pub(super) silenced: bool,
}

/// A change to store and notify.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A fault became an alert.
    Begins { kind: AlertKind, object: String, since: Timestamp, fault: Fault },
    /// The fault is still there. `is_told`: notify, because the severity rose.
    GoesOn { episode: Episode, fault: Fault, is_told: bool },
    /// The fault is over.
    Ends { episode: Episode },
}

/// For how long faults have been seen, and open alerts' faults have not. Lost at a restart.
#[derive(Debug, Default)]
pub(crate) struct Tracker(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    looked: Option<Timestamp>,
    /// Since when a fault that is no alert yet has been seen.
    faulty: HashMap<Key, Timestamp>,
    /// Since when the fault of an alert has not been seen.
    fine: HashMap<Key, Timestamp>,
}

impl Fault {
    /// Whether to notify, given the highest severity notified before.
    pub(super) fn is_news(&self, kind: AlertKind, told: Option<AlertSeverity>) -> bool {
        self.severity >= kind.told_from() && told.is_none_or(|told| told < self.severity)
    }
}

impl Tracker {
    fn known(&self) -> MutexGuard<'_, Known> {
        // At worst a duration is measured from the start again.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the conditions of a look with the open episodes.
    pub(super) fn compare(&self, open: Vec<Episode>, found: Vec<Condition>, now: Timestamp) -> Vec<Change> {
        self.known().compare(open, found, now)
    }
}

impl Known {
    fn compare(&mut self, open: Vec<Episode>, found: Vec<Condition>, now: Timestamp) -> Vec<Change> {
        if self.looked.is_none_or(|looked| looked.plus(FORGOTTEN_AFTER) < now) {
            self.faulty.clear();
            self.fine.clear();
        }
        self.looked = Some(now);
        let mut found: HashMap<Key, Reading> =
            found.into_iter().map(|one| ((one.kind, one.object), one.reading)).collect();
        self.faulty.retain(|key, _| found.contains_key(key));
        let mut changes = Vec::new();
        for episode in open {
            let key = (episode.kind, episode.object.clone());
            let reading = found.remove(&key);
            self.faulty.remove(&key);
            if reading.is_some() {
                self.fine.remove(&key);
            }
            match reading {
                Some(Reading::Faulty(fault)) => changes.extend(goes_on(episode, fault, now)),
                Some(Reading::Unsure) => {}
                None => {
                    let since = *self.fine.entry(key.clone()).or_insert(now);
                    if since.plus(OVER_AFTER) <= now {
                        self.fine.remove(&key);
                        changes.push(Change::Ends { episode });
                    }
                }
            }
        }
        for (key, reading) in found {
            let Reading::Faulty(fault) = reading else { continue };
            let since = *self.faulty.entry(key.clone()).or_insert(now);
            if since.plus(fault.after) <= now {
                let (kind, object) = key;
                changes.push(Change::Begins { kind, object, since, fault });
            }
        }
        changes
    }
}

/// `None` when there is nothing to be written down.
fn goes_on(episode: Episode, fault: Fault, now: Timestamp) -> Option<Change> {
    let is_told = !episode.silenced && fault.is_news(episode.kind, episode.told);
    let is_due = episode.last_seen.plus(NOTED_EVERY) <= now || episode.severity != fault.severity;
    (is_told || is_due).then_some(Change::GoesOn { episode, fault, is_told })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn fault(severity: AlertSeverity, after: u64) -> Fault {
        let after = Duration::from_secs(after);
        Fault { severity, name: "gpu01".to_owned(), words: "x".to_owned(), link: String::new(), after }
    }

    fn lost(reading: Reading) -> Vec<Condition> {
        vec![Condition { kind: AlertKind::ServerLost, object: "s1".to_owned(), reading }]
    }

    fn episode(told: Option<AlertSeverity>, silenced: bool) -> Episode {
        Episode {
            id: "a".to_owned(),
            kind: AlertKind::ServerLost,
            object: "s1".to_owned(),
            name: "gpu01".to_owned(),
            severity: AlertSeverity::Warning,
            words: "x".to_owned(),
            last_seen: at(0),
            told,
            silenced,
        }
    }

    #[test]
    fn a_fault_of_a_moment_is_no_alert() {
        let (tracker, faulty) = (Tracker::default(), || lost(Reading::Faulty(fault(AlertSeverity::Warning, 60))));
        assert!(tracker.compare(vec![], faulty(), at(0)).is_empty());
        assert!(tracker.compare(vec![], vec![], at(15)).is_empty());
        assert!(tracker.compare(vec![], faulty(), at(30)).is_empty());
        assert!(tracker.compare(vec![], faulty(), at(75)).is_empty());
        let changes = tracker.compare(vec![], faulty(), at(90));
        assert!(matches!(&changes[..], [Change::Begins { since, .. }] if *since == at(30)), "{changes:?}");
    }

    #[test]
    fn what_is_known_of_long_ago_counts_for_nothing() {
        let (tracker, faulty) = (Tracker::default(), || lost(Reading::Faulty(fault(AlertSeverity::Warning, 60))));
        assert!(tracker.compare(vec![], faulty(), at(0)).is_empty());
        assert!(tracker.compare(vec![], faulty(), at(600)).is_empty());
    }

    #[test]
    fn it_is_over_when_it_was_not_seen_for_a_minute_and_not_while_nobody_knows() {
        let (tracker, told) = (Tracker::default(), Some(AlertSeverity::Warning));
        let open = || vec![episode(told, false)];
        assert!(tracker.compare(open(), vec![], at(0)).is_empty());
        assert!(tracker.compare(open(), lost(Reading::Unsure), at(50)).is_empty());
        assert!(tracker.compare(open(), vec![], at(100)).is_empty());
        assert!(tracker.compare(open(), vec![], at(159)).is_empty());
        assert!(matches!(&tracker.compare(open(), vec![], at(160))[..], [Change::Ends { .. }]));
    }

    #[test]
    fn it_is_told_once_at_each_severity_and_never_while_silenced() {
        let (warning, critical) = (AlertSeverity::Warning, AlertSeverity::Critical);
        let is_told = |told, silenced, severity| {
            let found = lost(Reading::Faulty(fault(severity, 0)));
            let changes = Tracker::default().compare(vec![episode(told, silenced)], found, at(5));
            changes.iter().any(|change| matches!(change, Change::GoesOn { is_told: true, .. }))
        };
        assert!(is_told(None, false, warning));
        assert!(!is_told(None, true, warning));
        assert!(!is_told(Some(warning), false, warning));
        assert!(is_told(Some(warning), false, critical));
        assert!(!is_told(Some(critical), false, warning));
        assert!(!is_told(Some(critical), false, critical));
    }
}
