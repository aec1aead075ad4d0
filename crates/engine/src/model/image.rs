//! Images on an engine.

use kernel::Timestamp;

use crate::ImageRef;

/// One line of the list of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `sha256:` and 64 digits.
    pub id: String,
    /// Its names, `repository:tag`.
    pub tags: Vec<String>,
    /// `repository@sha256:…` of the registries that it came from or went to.
    pub digests: Vec<String>,
    /// Bytes of all layers.
    pub size: u64,
    /// When it was made.
    pub created: Timestamp,
}

/// One image in full.
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
    /// Who the program runs as; empty is root.
    pub user: String,
    /// As in `22/tcp`.
    pub exposed_ports: Vec<String>,
    /// Digests of the layers, the lowest first.
    pub layers: Vec<String>,
    /// How it was made, the lowest step first.
    pub history: Vec<Layer>,
}

/// One step of an image's making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// When.
    pub created: Timestamp,
    /// The instruction.
    pub created_by: String,
    /// Bytes that it added; 0 for those that only set something.
    pub size: u64,
    /// What its maker said of it.
    pub comment: String,
}

/// What removing a name of an image would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frees {
    /// Bytes; 0 when other names keep the image.
    pub bytes: u64,
    /// Other names of the same image.
    pub other_tags: Vec<String>,
    /// Containers made of it, which forbid removing the last name.
    pub containers: u64,
}

/// What removing a name of an image did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Names taken off.
    pub untagged: Vec<String>,
    /// Ids of what is gone.
    pub deleted: Vec<String>,
}

/// How a container becomes an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSpec {
    /// Its name; a tag is needed, a digest refused.
    pub name: ImageRef,
    /// Said of the new layer.
    pub comment: String,
    /// Who made it.
    pub author: String,
}
