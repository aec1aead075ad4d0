//! Errors of engines, as far as callers handle them differently.

/// The answer of every call to an engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An engine's error. The text is the engine's own, to be shown to the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It did not answer, or the connection broke: whether the call took effect is unknown.
    #[error("the engine does not answer: {0}")]
    Unreachable(String),
    /// No such container, terminal or image.
    #[error("not found: {0}")]
    NotFound(String),
    /// The container's name belongs to another container.
    #[error("the name is taken: {0}")]
    NameTaken(String),
    /// A host port is in use; nothing was started.
    #[error("{0}")]
    PortTaken(String),
    /// The image is not on this engine, or not in the registry.
    #[error("no such image: {0}")]
    ImageMissing(String),
    /// The registry wants other credentials.
    #[error("the registry refuses: {0}")]
    Unauthorized(String),
    /// None of these addresses is free for another network.
    #[error("no address of {0} is free")]
    NoAddresses(ipnet::Ipv4Net),
    /// The present state forbids it: the container runs, is stopped, or its image is in use.
    #[error("{0}")]
    Conflict(String),
    /// The engine calls the request wrong.
    #[error("{0}")]
    Rejected(String),
    /// The engine tried and failed: no room, a device that is missing, a program that can't start.
    #[error("{0}")]
    Failed(String),
    /// Refused here, before the engine heard of it.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// A value that is never sent to an engine, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {why}")]
pub struct Invalid {
    /// Which value, as in `mount target "/proc"`.
    pub what: String,
    /// The fault.
    pub why: &'static str,
}

impl Invalid {
    /// `value` is quoted as a literal, so that control characters cannot reach a log.
    pub(crate) fn new(kind: &str, value: &str, why: &'static str) -> Self {
        let shown: String = value.chars().take(200).collect();
        Self { what: format!("{kind} {shown:?}"), why }
    }
}
