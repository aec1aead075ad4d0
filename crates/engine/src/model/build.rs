//! Building images.

use std::collections::BTreeMap;

use crate::{ImageRef, NetworkName, Resources};

/// The request for an image that is built from a Dockerfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageBuild {
    /// The image's name; a tag is needed.
    pub name: ImageRef,
    /// Run every step again.
    pub no_cache: bool,
    /// Limits of each step.
    pub resources: Resources,
}

/// The request for a build.
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
    /// Limits of each step.
    pub resources: Resources,
    /// The network that its steps run in; by default the engine's default one.
    pub network: Option<NetworkName>,
}

/// An item of a build's progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// Text for the log, not necessarily a whole line.
    Log(String),
    /// The new image's id.
    Done(String),
}
