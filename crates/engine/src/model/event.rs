//! Events of containers.

use kernel::Timestamp;

/// Something happened to a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineEvent {
    /// When, by the engine's clock.
    pub at: Timestamp,
    /// The container's id.
    pub container: String,
    /// `yunlab.instance` of a container of ours.
    pub instance: Option<String>,
    /// The kind of event.
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It was made.
    Created,
    /// Its program was started.
    Started,
    /// Its program ended, with this status.
    Ended(Option<i64>),
    /// A process was killed because the memory was used up.
    OutOfMemory,
    /// The container was removed.
    Removed,
    /// Another event, in the engine's word: `pause`, `update`, `rename`.
    Other(String),
}
