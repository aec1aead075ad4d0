//! The program of ours that lies read-only in instances.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Invalid};

/// The volume of an engine that has the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsVolume(String);

impl ToolsVolume {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ToolsVolume {
    type Err = Invalid;

    /// Letters, digits and `-`, 1 to 64.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if text.is_empty() || text.len() > 64 || text.starts_with('-') || !text.chars().all(inner) {
            return Err(Invalid::new("volume", text, "only 1 to 64 letters, digits and '-'"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ToolsVolume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reasons why an engine has no such volume.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolsError {
    /// The program is built for another architecture than the engine's, given here.
    #[error("the engine is of the kind {0}")]
    OtherArchitecture(String),
    /// The engine does not answer, or refuses the volume.
    #[error(transparent)]
    Engine(#[from] Error),
}
