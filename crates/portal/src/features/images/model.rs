//! The lab's own images: their row, and their representation in the API.

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::{Actor, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::registry::Described;
use crate::visibility::Visibility;

/// An image's row.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(table = "images")]
pub(crate) struct Image {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) tag: String,
    /// The engines' id of it.
    pub(super) digest: String,
    /// Digest of its manifest in the registry; empty if it is in none.
    pub(super) manifest: String,
    #[record(column = "user_id")]
    pub(super) user: UserId,
    pub(super) username: String,
    #[record(word)]
    pub(super) visibility: Visibility,
    pub(super) description: String,
    #[record(json)]
    pub(super) described: Described,
    pub(super) created: Timestamp,
}

impl Image {
    /// The name that engines know it by.
    pub(super) fn name(&self) -> String {
        format!("{}:{}", self.repository, self.tag)
    }

    /// Whether the actor may change and delete it.
    pub(super) fn is_of(&self, actor: &Actor) -> bool {
        actor.is_admin() || self.user == actor.id
    }
}

/// Whose an image or a job is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImageOwner {
    pub(super) id: UserId,
    pub(super) username: String,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlaceKind {
    Registry,
    Server,
}

/// A server by name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImageServer {
    pub(super) id: String,
    pub(super) name: String,
}

/// Where an image is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImagePlace {
    pub(super) kind: PlaceKind,
    /// Null for the registry.
    pub(super) server: Option<ImageServer>,
}

/// An image that the lab made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImageView {
    pub(super) id: String,
    /// What engines and new instances call it: `repository:tag`.
    pub(super) image: String,
    pub(super) repository: String,
    pub(super) tag: String,
    /// The engines' id of it.
    pub(super) digest: String,
    /// Bytes on an engine.
    pub(super) size: u64,
    /// How many.
    pub(super) layers: usize,
    pub(super) created: Timestamp,
    pub(super) owner: ImageOwner,
    pub(super) visibility: Visibility,
    pub(super) description: String,
    /// Where it is.
    pub(super) r#where: Vec<ImagePlace>,
    /// Whether the viewer changes and deletes it.
    pub(super) editable: bool,
}

/// An image with what it is made of.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImageDetail {
    #[serde(flatten)]
    pub(super) image: ImageView,
    pub(super) described: Described,
}

/// What may be changed; left-out fields stay.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImageChange {
    pub(super) visibility: Option<Visibility>,
    #[schema(max_length = 500)]
    pub(super) description: Option<String>,
}

/// What deleting an image would do or did.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Deletion {
    /// Bytes that become free on servers.
    pub(super) bytes: u64,
    /// Instances that use it, by name: while there are any it can't be deleted.
    pub(super) instances: Vec<String>,
    /// Where it could not be removed, with the reason. It can't be used there any more.
    pub(super) left: Vec<String>,
}

/// Filters of the list of images.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImageFilter {
    #[param(inline)]
    pub(super) visibility: Option<Visibility>,
    /// Only the caller's own.
    pub(super) mine: Option<bool>,
    /// Those that are on this server or in the registry.
    pub(super) server: Option<String>,
}

impl ListFilter for ImageFilter {
    const SORTS: &'static str = "`created`, `repository`, `size` or `username`.";
    const WORDS: &'static str = "In name, description or owner.";
}

/// The query of the list.
pub(crate) type ImageQuery = ListParams<ImageFilter>;
