//! Duties on the wire.

use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A background duty and how it went in each portal.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DutyView {
    /// Its stable name.
    pub(super) name: String,
    /// Its name for people.
    pub(super) title: String,
    /// What it does.
    pub(super) description: String,
    /// From the end of a run to the begin of the next one, in milliseconds.
    pub(super) period_ms: i64,
    /// Whether only the leading portal carries it out.
    pub(super) leader_only: bool,
    /// Whether it waits while the clock is not trusted.
    pub(super) needs_trusted_clock: bool,
    /// How it went, in this portal first. Of a leader's duty: in the portal that leads, or led last.
    pub(super) portals: Vec<DutyInPortal>,
}

/// A duty in one portal.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DutyInPortal {
    /// The name of the portal's machine.
    pub(super) host: String,
    /// Whether it is the portal that answers.
    pub(super) here: bool,
    /// Whether it is at work there.
    pub(super) active: bool,
    /// Since when a run is going on; null: none is.
    pub(super) running_since: Option<Timestamp>,
    /// The run that ended last; null: there was none.
    pub(super) last: Option<DutyRun>,
    /// When the next run begins; null while one is going on, and where it is not at work.
    pub(super) next: Option<Timestamp>,
    /// It is due but waits, because the clock is not trusted.
    pub(super) held: bool,
    /// Servers whose last run failed.
    pub(super) failing: Vec<DutyFailure>,
}

/// A run that ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DutyRun {
    /// When it began.
    pub(super) started: Timestamp,
    /// How long it took, in milliseconds.
    pub(super) took_ms: i64,
    /// Why it failed; null: it succeeded.
    pub(super) error: Option<String>,
}

/// A failed run for one server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DutyFailure {
    /// The server's name.
    pub(super) server: String,
    /// Why it failed.
    pub(super) error: String,
}

/// All duties.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DutyList {
    /// In alphabetical order of their names.
    pub(super) items: Vec<DutyView>,
    /// How many.
    pub(super) total: i64,
    /// The machine of the portal that leads; null while none is known to.
    pub(super) leader: Option<String>,
}
