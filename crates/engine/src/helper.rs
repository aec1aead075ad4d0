//! Acting on an engine's machine, for a closed list of verbs. What is only looked at goes through
//! the unprivileged probe (`probe`).

use async_trait::async_trait;
use machine_helper::{Answer, Refusal, Request};

use crate::Error;

/// An engine whose machine can be acted on.
#[async_trait]
pub trait MachineHelper: Send + Sync {
    /// Has one thing done on the machine, within 10 s (quotas: 30 s) once the helper has started.
    ///
    /// # Errors
    /// `Refused` with a code when the machine did not do it, `Engine` when the engine did not start the helper.
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError>;
}

/// Why nothing was done on a machine, or nobody knows whether it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineHelperError {
    /// The helper ran and refused; `words` are a tool's own, for the log.
    #[error("{refusal:?} {words}")]
    Refused { refusal: Refusal, words: String },
    /// The helper's program is for another kind of processor than the machine's, which is this one.
    #[error("the machine is of the kind {0}")]
    OtherArchitecture(String),
    /// Others ask the same machine already, and did not come to an end in time.
    #[error("the machine is asked too much at once")]
    Busy,
    /// The helper ended without an answer that can be read.
    #[error("no answer: {0}")]
    Garbled(String),
    /// The engine does not answer, or refuses such a container, in its own words.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl From<Refusal> for MachineHelperError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused { refusal, words: String::new() }
    }
}
