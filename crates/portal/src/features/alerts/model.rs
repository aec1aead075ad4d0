//! Alerts on the wire, and their states; pure.

use http_kit::{FieldProblem, ListFilter, ListParams};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::check::Check;
pub(crate) use crate::features::notices::{AlertKind, AlertSeverity};

/// The beginning of an object that is a storage host.
pub(super) const STORAGE_HOST: &str = "storage-host:";
/// A month.
const LONGEST_SILENCE_HOURS: i64 = 720;

/// Where an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AlertState {
    /// The fault is there.
    Firing,
    /// It is there, and an administrator wants to hear nothing of it for some time.
    Silenced,
    /// It is over.
    Resolved,
}

/// A fault, from when it was seen until it was gone.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alert {
    pub(super) id: String,
    pub(super) kind: AlertKind,
    pub(super) severity: AlertSeverity,
    pub(super) state: AlertState,
    /// What it is about, as people call it.
    pub(super) name: String,
    /// The fault in a sentence, as it was seen last.
    pub(super) words: String,
    /// The page where something can be done about it, below the portal's address.
    pub(super) link: String,
    pub(super) since: Timestamp,
    pub(super) last_seen: Timestamp,
    /// When it was gone; null: it is still there.
    pub(super) resolved: Option<Timestamp>,
    /// Until when there are no notices; null: it is not silenced.
    pub(super) silenced_until: Option<Timestamp>,
    /// The administrator who silenced it; empty: it is not silenced.
    pub(super) silenced_by: String,
}

/// For how long an alert is silenced.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertSilence {
    /// From now.
    #[schema(minimum = 1, maximum = 720)]
    pub(super) hours: i64,
}

/// Filters of the alerts.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertFilter {
    #[param(inline)]
    pub(super) state: Option<AlertState>,
    #[param(inline)]
    pub(super) kind: Option<AlertKind>,
}

impl ListFilter for AlertFilter {
    const SORTS: &'static str = "`since` or `lastSeen`; what is not resolved comes first either way.";
    const WORDS: &'static str = "In the name or the words.";
}

/// The query of the list.
pub(crate) type AlertQuery = ListParams<AlertFilter>;

impl AlertKind {
    /// The lowest severity that is notified. A quota that is only nearly full is left to its user or the group's
    /// leaders.
    pub(super) const fn told_from(self) -> AlertSeverity {
        match self {
            Self::QuotaFull => AlertSeverity::Critical,
            _ => AlertSeverity::Warning,
        }
    }

    /// Whether each administrator gets a notice about this object. Each portal notifies of its own clock itself
    /// (`clock/watch.rs`), leading or not, so that here only the group chat is notified; a storage host can't.
    pub(super) fn is_noticed(self, object: &str) -> bool {
        self != Self::ClockHeld || object.starts_with(STORAGE_HOST)
    }
}

impl AlertState {
    /// Of an episode with these times.
    pub(super) fn of(resolved: Option<Timestamp>, silenced_until: Option<Timestamp>, now: Timestamp) -> Self {
        match (resolved, silenced_until) {
            (Some(_), _) => Self::Resolved,
            (None, Some(until)) if until > now => Self::Silenced,
            (None, _) => Self::Firing,
        }
    }
}

impl AlertSilence {
    pub(super) fn faults(self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.within(self.hours, 1, LONGEST_SILENCE_HOURS, "hours");
        check.faults()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_ends_by_itself_and_what_is_over_is_resolved() {
        let (early, now, late) = (Timestamp::from_millis(1), Timestamp::from_millis(2), Timestamp::from_millis(3));
        assert_eq!(AlertState::of(None, None, now), AlertState::Firing);
        assert_eq!(AlertState::of(None, Some(late), now), AlertState::Silenced);
        assert_eq!(AlertState::of(None, Some(early), now), AlertState::Firing);
        assert_eq!(AlertState::of(Some(early), Some(late), now), AlertState::Resolved);
    }
}
