//! Jobs on images: pull, save, push and build.

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{ImageOwner, ImageServer};
use crate::visibility::Visibility;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobKind {
    /// A server fetches an image from its registry.
    Pull,
    /// An instance becomes an image.
    Save,
    /// An image is sent to the lab's registry.
    Push,
    /// An image is made from a Dockerfile.
    Build,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobState {
    /// Waits for earlier builds on its server.
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl JobState {
    pub(super) fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A job's request besides the image's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Task {
    Pull,
    Save {
        instance: String,
        /// The cluster's id of what the instance is made as; for older versions, which know it by that.
        #[serde(rename = "container")]
        object: String,
        description: String,
        visibility: Visibility,
        push: bool,
    },
    Push {
        image: String,
    },
    Build(BuildTask),
}

/// What is built. Either `dockerfile` or `context` is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BuildTask {
    /// The text of the Dockerfile; then there are no other files.
    pub(super) dockerfile: Option<String>,
    /// A folder of the network disk as its builder sees it, with a Dockerfile in it.
    pub(super) context: Option<String>,
    pub(super) push: bool,
    /// Every step is run again.
    pub(super) no_cache: bool,
    pub(super) description: String,
    pub(super) visibility: Visibility,
}

/// A job's row.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "image_jobs")]
pub(super) struct Job {
    pub(super) id: String,
    #[record(word, insert_only)]
    pub(super) kind: JobKind,
    #[record(word, computed)]
    pub(super) state: JobState,
    /// `repository:tag`.
    #[record(insert_only)]
    pub(super) image: String,
    #[record(column = "server_id", insert_only)]
    pub(super) server: String,
    #[record(column = "user_id", computed)]
    pub(super) user: UserId,
    #[record(insert_only)]
    pub(super) username: String,
    #[record(json, insert_only)]
    pub(super) task: Task,
    pub(super) percent: Option<i64>,
    pub(super) bytes: i64,
    pub(super) log: String,
    #[record(computed)]
    pub(super) error: String,
    #[record(computed)]
    pub(super) created: Timestamp,
    #[record(computed)]
    pub(super) started: Option<Timestamp>,
    #[record(computed)]
    pub(super) ended: Option<Timestamp>,
}

/// A job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ImageJob {
    pub(super) id: String,
    pub(super) kind: JobKind,
    pub(super) state: JobState,
    /// `repository:tag`.
    pub(super) image: String,
    /// Null when it was removed since.
    pub(super) server: Option<ImageServer>,
    pub(super) owner: ImageOwner,
    /// Of the layers to transfer; null when it can't be said.
    pub(super) percent: Option<i64>,
    /// Transferred so far.
    pub(super) bytes: i64,
    /// The end of the output, 4 KiB at most.
    pub(super) log: String,
    /// Why it failed; empty otherwise.
    pub(super) error: String,
    pub(super) created: Timestamp,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// What is built; null for other jobs.
    pub(super) build: Option<BuildTask>,
}

/// Filters of the list of jobs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobFilter {
    #[param(inline)]
    pub(super) kind: Option<JobKind>,
    #[param(inline)]
    pub(super) state: Option<JobState>,
    pub(super) server: Option<String>,
    /// Only the caller's own.
    pub(super) mine: Option<bool>,
}

impl ListFilter for JobFilter {}

/// The query of the list.
pub(crate) type JobQuery = ListParams<JobFilter>;
