//! Building images.

use std::collections::BTreeMap;

use crate::{ImageRef, NetworkName, Resources};

/// What is built and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildSpec {
    /// The image's name; a tag is needed.
    pub name: ImageRef,
    /// The Dockerfile's path in the context.
    pub dockerfile: String,
    /// `--build-arg`.
    pub arguments: BTreeMap<String, String>,
    /// Run every step again.
    pub no_cache: bool,
    /// Fetch newer base images.
    pub pull: bool,
    /// What each step may use.
    pub resources: Resources,
    /// The network that its steps run in; the engine's default one without a value.
    pub network: Option<NetworkName>,
}

/// What a build says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// Text for the log, not necessarily a whole line.
    Log(String),
    /// The new image's id.
    Done(String),
}
