//! Images on their way from and to a registry.

use kernel::Secret;

/// Credentials for a registry.
#[derive(Clone, Debug)]
pub struct RegistryAuth {
    /// The account.
    pub username: String,
    /// Its password or token.
    pub password: Secret,
}

/// One step of a pull or push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The layer; `None` for the image as a whole.
    pub layer: Option<String>,
    /// In the engine's words: `Downloading`, `Pull complete`.
    pub status: String,
    /// Bytes so far.
    pub current: Option<u64>,
    /// Bytes in all.
    pub total: Option<u64>,
}
