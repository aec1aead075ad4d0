//! Why a connection ended.

use std::io;

use crate::wire::Malformed;

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// One of its sides ended it.
    #[error("the connection ended")]
    Ended,
    /// The other side does not speak the protocol. These are the first bytes that it sent.
    #[error("the other side is not the program: {0:?}")]
    NotSpoken(String),
    /// The other side sent what it must not.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The stream broke.
    #[error("the connection broke: {0}")]
    Broken(io::ErrorKind),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.kind())
    }
}
