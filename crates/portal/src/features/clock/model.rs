//! The clock on the wire.

use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// Whose clock it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WitnessKind {
    /// This machine's steady clock, counted on from the last time that was trusted.
    Steady,
    /// The database server.
    Database,
    /// The container engine of a server.
    Engine,
}

/// A clock that the wall clock is compared with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ClockWitness {
    /// Whose clock it is.
    pub(super) kind: WitnessKind,
    /// The server's name; empty for others.
    pub(super) name: String,
    /// What it says.
    pub(super) time: Timestamp,
    /// How far the wall clock is ahead of it, in milliseconds.
    #[serde(rename = "aheadMs")]
    pub(super) ahead_ms: i64,
    /// Whether it is on another machine than the portal.
    pub(super) independent: bool,
}

/// Whether the time is trusted, and what other clocks say.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClockState {
    /// Whether the machine's wall clock is believed.
    pub(super) trusted: bool,
    /// The portal's present time.
    pub(super) now: Timestamp,
    /// What the machine's wall clock says.
    pub(super) wall: Timestamp,
    /// Since when the wall clock is not trusted, in the portal's time; null: it is.
    pub(super) held_since: Option<Timestamp>,
    /// When it is believed again by itself, unless two other clocks contradict it; null: it is believed.
    pub(super) release_at: Option<Timestamp>,
    /// The other clocks that answer; none is asked while the wall clock is believed.
    pub(super) witnesses: Vec<ClockWitness>,
}
