//! What tells whether a container ended by itself or together with its engine.

use kernel::Timestamp;

/// The engine around the moment at which a container ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndWitness {
    /// Whether the portal's own container runs now. It ends with the engine as every other does.
    pub probe_runs: bool,
    /// When that last ended, by the engine's clock; `None` if it never did or is not there.
    pub probe_ended: Option<Timestamp>,
    /// Whether the engine ran before that moment already and has run without interruption since: it remembers something
    /// from before. What engines remember goes with their process.
    pub engine_ran_before: bool,
}
