//! What happens to containers.

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
    /// What.
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
    /// It is gone.
    Removed,
    /// Something else, in the engine's word: `pause`, `update`, `rename`.
    Other(String),
}
