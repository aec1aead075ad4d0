//! Evidence on whether a container ended by itself or together with its engine.

use kernel::Timestamp;

/// The engine's state around the end of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndWitness {
    /// Whether the portal's own container runs now. It ends with the engine as every other does.
    pub probe_runs: bool,
    /// When the probe last ended, by the engine's clock; `None` if it never did or does not exist.
    pub probe_ended: Option<Timestamp>,
    /// Whether the engine already ran before the end, and without interruption since: it has an event from before.
    /// Engines keep events only in memory.
    pub engine_ran_before: bool,
}
