//! Instances: their row, and their representation in the API.

use std::collections::BTreeMap;

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use strum::EnumIter;
use utoipa::{IntoParams, ToSchema};

use super::frozen::FreezeReason;
use super::state::{Desired, State};
use crate::features::clusters::PullProgress;
use crate::features::disk_space::SpaceHolder;
use crate::features::gpus::Gpu;

/// Where an instance's SSH server listens, in its container.
pub(super) const SSH_PORT: i64 = 22;

/// How a port speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PortProtocol {
    #[default]
    Tcp,
    Udp,
}

/// A port of the server that leads into an instance.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstancePort {
    /// What answers there, such as `ssh`; may be empty.
    pub(super) name: String,
    pub(super) container_port: i64,
    pub(super) host_port: i64,
    #[record(word)]
    pub(super) protocol: PortProtocol,
}

/// A folder of the network disk in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceMount {
    /// On the disk, from its root.
    pub(super) source: String,
    /// In the instance.
    pub(super) target: String,
    pub(super) read_only: bool,
}

impl InstanceMount {
    /// The dataset, or the version of a dataset, that is mounted.
    pub(super) fn dataset(&self) -> Option<&str> {
        self.source.strip_prefix("datasets/")
    }
}

/// An instance's row.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(table = "instances")]
pub(crate) struct Instance {
    pub(crate) id: String,
    pub(crate) name: String,
    #[record(column = "user_id")]
    pub(crate) user: UserId,
    pub(crate) username: String,
    #[record(column = "server_id")]
    pub(crate) server: String,
    pub(crate) image: String,
    pub(super) image_digest: String,
    pub(super) note: String,
    /// Cards by id.
    #[record(json)]
    pub(crate) gpus: Vec<String>,
    pub(super) cpu_quota: i64,
    pub(super) memory: i64,
    pub(super) shm_size: i64,
    pub(super) pids_limit: i64,
    #[record(json)]
    pub(super) env: BTreeMap<String, String>,
    #[record(json)]
    pub(super) command: Vec<String>,
    #[record(json)]
    pub(super) mounts: Vec<InstanceMount>,
    /// Incremented each time its container is recreated.
    pub(super) generation: i64,
    pub(super) root_image: String,
    #[record(word)]
    pub(super) desired: Desired,
    #[record(word)]
    pub(super) state: State,
    pub(super) state_reason: String,
    pub(crate) engine_id: String,
    /// Complete lists in a row in which its container was not.
    pub(super) missed: i64,
    /// CPU and memory were changed, and the engine has not applied it yet.
    pub(super) resize: bool,
    /// Tries of the step that failed last.
    pub(super) attempts: i64,
    pub(super) retry_at: Option<Timestamp>,
    pub(super) created: Timestamp,
    pub(super) changed: Timestamp,
    /// Incremented with every change, from 1.
    pub(super) version: i64,
    pub(crate) started: Option<Timestamp>,
    pub(super) stop_at: Option<Timestamp>,
    pub(super) keep_until: Option<Timestamp>,
    /// The instance seems unused since then.
    pub(super) idle_since: Option<Timestamp>,
    /// When it is stopped for that.
    pub(super) idle_stop_at: Option<Timestamp>,
    /// Why its programs are to be frozen until an administrator lifts that; empty: they are not.
    pub(super) suspended: String,
    /// Its processes are to be frozen until this holder has space again.
    pub(super) frozen_for: Option<SpaceHolder>,
    /// The engine was asked to freeze them, and not yet to resume them.
    pub(super) paused: bool,
    /// When that was last lifted.
    pub(super) lifted: Option<Timestamp>,
    /// It is started again after a restart of its server.
    pub(super) auto_start: bool,
    /// When that was last done.
    pub(super) revived: Option<Timestamp>,
    /// And the time before.
    pub(super) revived_before: Option<Timestamp>,
    /// Since when that is under way.
    pub(super) reviving: Option<Timestamp>,
}

impl Instance {
    /// The datasets, and versions of datasets, that it has.
    pub(super) fn dataset_folders(&self) -> impl Iterator<Item = &str> {
        self.mounts.iter().filter_map(InstanceMount::dataset)
    }

    /// Whether its programs are, or are about to be, frozen until an administrator lifts that.
    pub(crate) fn is_suspended(&self) -> bool {
        !self.suspended.is_empty()
    }

    /// Makes a transition of the table; `false` where the table has none.
    pub(super) fn step(&mut self, next: State, reason: impl Into<String>) -> bool {
        if !self.state.may_become(next) {
            return false;
        }
        self.state = next;
        self.state_reason = reason.into();
        self.missed = 0;
        self.retry_at = None;
        (self.idle_since, self.idle_stop_at) = (None, None);
        // A container that is stopped or started is not frozen afterwards.
        (self.paused, self.frozen_for) = (false, None);
        // On the way to running, tries are counted together.
        if !matches!(next, State::Preparing | State::Creating | State::Starting) {
            self.attempts = 0;
            self.reviving = None;
        }
        true
    }
}

/// What an instance's own root takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct InstanceRoot {
    /// Bytes.
    pub(super) used: i64,
    /// Bytes; 0 is no limit.
    pub(super) limit: i64,
    pub(super) counted: Timestamp,
}

/// Something that will happen to an instance by itself, told beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Notice {
    pub(super) kind: NoticeKind,
    pub(super) at: Timestamp,
}

/// What will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NoticeKind {
    /// It is stopped; its root is kept.
    Stop,
    /// It is released, and its root deleted.
    Release,
}

/// An instance that seems unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Idle {
    pub(super) since: Timestamp,
    /// When it is stopped if it stays idle until then; absent: it is not.
    pub(super) stop_at: Option<Timestamp>,
}

/// Whose an instance is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceOwner {
    pub(super) id: UserId,
    pub(super) username: String,
}

/// Where an instance is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceServer {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) public_host: String,
    /// When what runs there is stopped for maintenance; absent: it is not.
    pub(super) drain_at: Option<Timestamp>,
}

/// Something that is done to the whole of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, EnumIter)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Act {
    Start,
    Stop,
    Restart,
    Release,
    Resume,
}

/// Whether something can be done to an instance now.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceAct {
    pub(super) act: Act,
    /// The message with which it would be refused; absent when it can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
}

/// An instance.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceView {
    pub(super) id: String,
    /// `ins_{username}_GPU{5 characters}`.
    pub(super) name: String,
    pub(super) note: String,
    pub(super) owner: InstanceOwner,
    /// Absent when the server was removed after the instance was released.
    pub(super) server: Option<InstanceServer>,
    pub(super) state: State,
    /// What the reader may do to the whole of it, and why not now.
    pub(super) acts: Vec<InstanceAct>,
    /// Why; empty when there is nothing to say.
    pub(super) state_reason: String,
    /// It stopped because its command had nothing to do, as a shell without a terminal: another command keeps it running.
    pub(super) ended_at_once: bool,
    /// Why its programs are frozen until an administrator lifts that; empty: they are not.
    pub(super) suspended: String,
    /// What its programs are frozen for until there is room again; absent: they are not.
    pub(super) frozen: Option<FreezeReason>,
    /// What its root takes beside its image, as it was counted last; absent: not counted yet.
    pub(super) root: Option<InstanceRoot>,
    pub(super) desired_state: Desired,
    /// Its server does not answer: the state is the last one known.
    pub(super) unreachable: bool,
    pub(super) image: String,
    pub(super) image_digest: String,
    /// While the image is being fetched.
    pub(super) pull: Option<PullProgress>,
    /// The cards that it has or, while it is stopped, had.
    pub(super) gpus: Vec<Gpu>,
    /// Microseconds of CPU per 100 000 µs.
    pub(super) cpu_quota: i64,
    /// Bytes.
    pub(super) memory: i64,
    /// Bytes.
    pub(super) shm_size: i64,
    pub(super) pids_limit: i64,
    pub(super) ports: Vec<InstancePort>,
    /// How to get in, when its port 22 is open.
    pub(super) ssh: Option<String>,
    pub(super) mounts: Vec<InstanceMount>,
    /// For its owner and administrators only.
    pub(super) env: Option<BTreeMap<String, String>>,
    pub(super) command: Vec<String>,
    pub(super) created: Timestamp,
    pub(super) started: Option<Timestamp>,
    pub(super) stop_at: Option<Timestamp>,
    /// When it is released if it stays stopped.
    pub(super) keep_until: Option<Timestamp>,
    /// What will happen soon by itself.
    pub(super) notice: Option<Notice>,
    /// While it seems unused.
    pub(super) idle: Option<Idle>,
    /// It is started again after a restart of its server: its command runs, not what people had started inside.
    pub(super) auto_start: bool,
}

/// What an instance used. What was not measured is absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceSample {
    pub(super) time: Timestamp,
    /// Cores: 1.5 is one and a half.
    pub(super) cpu: Option<f64>,
    /// Bytes, without what the kernel merely caches.
    pub(super) memory: Option<i64>,
    /// Bytes.
    pub(super) memory_limit: Option<i64>,
    /// Bytes a second.
    pub(super) received: Option<i64>,
    /// Bytes a second.
    pub(super) sent: Option<i64>,
    /// Processes and threads.
    pub(super) pids: Option<i64>,
}

/// What an instance used over time.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceSamples {
    /// Seconds from one to the next.
    pub(super) span: i64,
    /// Oldest first. What is missing was not measured.
    pub(super) items: Vec<InstanceSample>,
}

/// One state that an instance was in.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "instance_states")]
pub(crate) struct StateEntry {
    pub(super) time: Timestamp,
    #[record(word)]
    pub(super) state: State,
    pub(super) reason: String,
    /// Who caused it; empty: the portal itself.
    pub(super) actor: String,
}

/// An instance with its past.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceDetail {
    #[serde(flatten)]
    pub(super) instance: InstanceView,
    /// Oldest first.
    pub(super) history: Vec<StateEntry>,
}

/// Filters of the instance list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstanceFilter {
    #[param(inline)]
    pub(super) state: Option<State>,
    /// On this server.
    pub(super) server: Option<String>,
    /// Of this person.
    pub(super) user: Option<UserId>,
    /// Limited to members of this group; callers still see only their own and those of members whom they lead.
    pub(super) group: Option<i64>,
    /// Only the caller's own.
    pub(super) mine: Option<bool>,
    /// Also those that were released.
    pub(super) released: Option<bool>,
}

impl ListFilter for InstanceFilter {
    const SORTS: &'static str = "`created`, `name`, `state` or `username`.";
    const WORDS: &'static str = "In name, note or image.";
}

/// The query of the list.
pub(crate) type InstanceQuery = ListParams<InstanceFilter>;
