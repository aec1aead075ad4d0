//! Images on an engine.

use kernel::Timestamp;

use crate::ImageRef;

/// An entry of the list of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `sha256:` and 64 digits.
    pub id: String,
    /// Its names, `repository:tag`.
    pub tags: Vec<String>,
    /// `repository@sha256:…` in the registries that it was pulled from or pushed to.
    pub digests: Vec<String>,
    /// Bytes of all layers.
    pub size: u64,
    /// When it was made.
    pub created: Timestamp,
}

/// An image on a node, and what uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeImage {
    /// The image.
    pub image: Image,
    /// The names of what is made of it, running or not.
    pub used_by: Vec<String>,
}

/// The full description of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageDetail {
    /// As in the list.
    pub image: Image,
    /// As in `amd64`.
    pub architecture: String,
    /// As in `linux`.
    pub os: String,
    /// `NAME=value`.
    pub environment: Vec<String>,
    /// Program that the command is given to.
    pub entrypoint: Vec<String>,
    /// Command.
    pub command: Vec<String>,
    /// Where the program starts.
    pub working_dir: String,
    /// The user that its program runs as; empty is root.
    pub user: String,
    /// As in `22/tcp`.
    pub exposed_ports: Vec<String>,
    /// Digests of the layers, the lowest first.
    pub layers: Vec<String>,
    /// How it was made, the lowest step first.
    pub history: Vec<Layer>,
}

/// One build step of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// When.
    pub created: Timestamp,
    /// The instruction.
    pub created_by: String,
    /// Bytes that it added; 0 for steps that only change the configuration.
    pub size: u64,
    /// The comment of the step.
    pub comment: String,
}

/// The effect that removing a name of an image would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frees {
    /// Bytes; 0 when other names keep the image.
    pub bytes: u64,
    /// Other names of the same image.
    pub other_tags: Vec<String>,
    /// Containers made of it, which forbid removing the last name.
    pub containers: u64,
}

/// The effect of removing a name of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Removed names.
    pub untagged: Vec<String>,
    /// Ids of deleted images.
    pub deleted: Vec<String>,
}

/// How a container becomes an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSpec {
    /// Its name; a tag is needed, a digest refused.
    pub name: ImageRef,
    /// Comment of the new layer.
    pub comment: String,
    /// Who made it.
    pub author: String,
}
