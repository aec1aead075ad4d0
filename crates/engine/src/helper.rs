//! Changes on an engine's machine, for a closed list of verbs. Queries without a change use the unprivileged probe
//! (`probe`).

use async_trait::async_trait;
use machine_helper::{Answer, Refusal, Request};

use crate::Error;

/// An engine whose machine the portal can change.
#[async_trait]
pub trait MachineHelper: Send + Sync {
    /// Carries out one request on the machine, within 10 s (quotas: 30 s) once the helper has started.
    ///
    /// # Errors
    /// `Refused` with a code when the machine did not do it, `Engine` when the engine did not start the helper.
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError>;
}

/// Reasons why a request was not carried out, or its outcome is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineHelperError {
    /// The helper ran and refused; `words` are a tool's own, for the log.
    #[error("{refusal:?} {words}")]
    Refused { refusal: Refusal, words: String },
    /// The helper's program is built for another architecture than the machine's, given here.
    #[error("the machine is of the kind {0}")]
    OtherArchitecture(String),
    /// Other calls to the same machine did not end in time.
    #[error("the machine is asked too much at once")]
    Busy,
    /// The helper ended without an answer that can be read.
    #[error("no answer: {0}")]
    Garbled(String),
    /// The engine does not answer, or refuses the container.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl From<Refusal> for MachineHelperError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused { refusal, words: String::new() }
    }
}
