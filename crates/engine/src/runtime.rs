//! What a cluster is used through, whatever runs it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use kernel::Timestamp;

use crate::{
    BuildEvent, Capabilities, ClusterNode, Command, CommitSpec, ContainerPrograms, ContainerSize, Error, ExecOutput,
    Expected, Finding, Frees, ImageBuild, ImageDetail, ImageRef, LogChunk, LogQuery, MachineHelper, NodeImage,
    Observation, Observed, Process, ProcessControl, ProcessId, Progress, RegistryAuth, Removed, Resources, Result,
    Tenant, Usage, Waits, Workload, WorkloadId,
};

/// A cluster. Every call ends within its own time limit; [`crate::Error::Unreachable`] says nothing about whether the
/// call took effect. If a stream cannot begin, the error is its first item; dropping it cancels the work behind it.
///
/// Every call may be repeated, and any of them may be the first after a crash at any point of another one.
#[async_trait]
pub trait Runtime: Send + Sync + fmt::Debug {
    /// Whether it answers, within 3 s.
    async fn ping(&self) -> Result<()>;

    /// The facts and capabilities of its node. Always queried, so that an upgrade is noticed.
    async fn node(&self) -> Result<Capabilities>;

    /// All that is there: complete, or an error.
    async fn observe(&self) -> Result<Observation>;

    /// Hints that something may have changed; some may be missing.
    fn changes(&self) -> BoxStream<'static, Result<()>>;

    /// One workload, with how it ended if it has.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    async fn examine(&self, id: &WorkloadId) -> Result<Observed>;

    /// Has a workload run: makes it, adopts what an earlier try made, recreates it for a higher generation with
    /// its root kept, starts it. Does nothing to one that runs in this generation. `watch` is notified of each step before
    /// the next one begins, and may end the work there.
    ///
    /// # Errors
    /// At which step it failed, and why.
    async fn apply(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure>;

    /// Stops a workload, by force after `grace`; does nothing if it is stopped. Its root is kept.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    async fn stop(&self, id: &WorkloadId, grace: Duration) -> Result<()>;

    /// Removes all of a workload, its root too, after it had `grace` to end; the only call that deletes a root. Does
    /// nothing if it is not there.
    async fn discard(&self, id: &WorkloadId, grace: Duration) -> Result<()>;

    /// Starts a program in a running workload, beside its own.
    ///
    /// # Errors
    /// `NotFound` and `Conflict` when it does not run, `Invalid`.
    async fn run(&self, id: &WorkloadId, command: &Command) -> Result<Process>;

    /// Takes over a program that [`Runtime::run`] started, also in an earlier life of this one.
    ///
    /// # Errors
    /// `Invalid` when the id is no program's.
    fn attach(&self, process: &ProcessId) -> Result<Arc<dyn ProcessControl>>;

    /// The output of its program.
    fn logs(&self, id: &WorkloadId, query: LogQuery) -> BoxStream<'static, Result<LogChunk>>;

    /// Takes one measurement at once.
    async fn usage(&self, id: &WorkloadId) -> Result<Usage>;

    /// Looks at the cluster and its machine for what would keep workloads from running, or from being kept apart.
    async fn diagnose(&self, expected: &Expected<'_>) -> Result<Vec<Finding>>;

    /// Looks after what the driver itself made on the cluster's machines, after an observation.
    async fn tend(&self, care: Care);

    /// Freezes programs without ending them; `None` where that is not possible.
    fn freezing(&self) -> Option<&dyn Freezing> {
        None
    }

    /// Changes limits of running programs; `None` where that is not possible.
    fn resizing(&self) -> Option<&dyn Resizing> {
        None
    }

    /// Makes images of roots; `None` where that is not possible.
    fn snapshots(&self) -> Option<&dyn Snapshots> {
        None
    }

    /// What roots have beyond their images; `None` where that is not possible, and where [`Runtime::snapshots`] makes
    /// whole images.
    fn layers(&self) -> Option<&dyn Layers> {
        None
    }

    /// Builds images; `None` where that is not possible.
    fn builder(&self) -> Option<&dyn ImageBuilder> {
        None
    }

    /// The images on its node; `None` where they are not the portal's to see.
    fn node_images(&self) -> Option<&dyn NodeImages> {
        None
    }

    /// The programs of workloads as their node sees them; `None` where that is not possible.
    fn processes(&self) -> Option<&dyn ProcessView> {
        None
    }

    /// A shell on its node; `None` where the portal has none.
    fn node_shell(&self) -> Option<&dyn NodeShell> {
        None
    }

    /// The nodes of a cluster that places workloads itself; `None` for a cluster that is one node.
    fn nodes(&self) -> Option<&dyn ClusterNodes> {
        None
    }

    /// Changes on its node; `None` where the portal can't make any.
    fn machine_helper(&self) -> Option<&dyn MachineHelper> {
        None
    }
}

/// Follows the work of [`Runtime::apply`].
#[async_trait]
pub trait Watch: Send + Sync {
    /// The next step is reached. With `Break` the work ends here, which is no error.
    async fn step(&mut self, step: Step) -> ControlFlow<()>;

    /// Resolves when the image is not wanted any more.
    async fn cancelled(&self);
}

/// A step of [`Runtime::apply`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The root of an earlier generation was kept, to be given back as [`Workload::kept_root`].
    RootKept(String),
    /// The image is coming: bytes so far and in all.
    Fetching { current: u64, total: u64 },
    /// The image is there. Nothing was made of it yet.
    Image {
        /// `sha256:` and 64 digits.
        digest: String,
        /// Whether it was fetched just now.
        fetched: bool,
    },
    /// It is made, by the cluster's id of the object, and will be started next.
    Made(String),
    /// The cluster has no node for it yet; again whenever the reason changes. A failure for that reason has its words.
    Waiting(Waits),
    /// It runs.
    Running,
}

/// Why [`Runtime::apply`] went no further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stage:?}: {error}")]
pub struct Failure {
    /// What was being done.
    pub stage: Stage,
    /// Why it failed.
    #[source]
    pub error: Error,
}

/// What [`Runtime::apply`] does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looks for what an earlier try made. `NameTaken`: something else has its name.
    Look,
    /// Stops the earlier generation.
    StopEarlier,
    /// Keeps the root of the earlier generation.
    KeepRoot,
    /// Removes the earlier generation.
    RemoveEarlier,
    /// Looks for the image. `ImageMissing`: it is not there, and in no registry.
    FindImage,
    /// Fetches the image.
    FetchImage,
    /// Keeps its tenant apart from others.
    Isolate,
    /// Makes it.
    Make,
    /// Starts it. `PortTaken`: one of its node ports is in use.
    Start,
}

impl Stage {
    /// For `map_err`.
    pub(crate) fn failed<E: Into<Error>>(self) -> impl FnOnce(E) -> Failure {
        move |error| Failure { stage: self, error: error.into() }
    }
}

/// How much [`Runtime::tend`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// What must hold at all times.
    Isolation,
    /// Removes what nothing uses any more.
    Leftovers,
}

/// Freezing.
#[async_trait]
pub trait Freezing: Send + Sync {
    /// Freezes all its processes; does nothing if it is frozen.
    ///
    /// # Errors
    /// `Conflict` when it does not run.
    async fn freeze(&self, id: &WorkloadId) -> Result<()>;

    /// Resumes frozen processes; does nothing if it is not frozen.
    async fn thaw(&self, id: &WorkloadId) -> Result<()>;
}

/// Changing limits.
#[async_trait]
pub trait Resizing: Send + Sync {
    /// Sets the limits of CPU, memory and processes, effective at once where it runs.
    async fn resize(&self, id: &WorkloadId, resources: &Resources) -> Result<()>;
}

/// Building images.
#[async_trait]
pub trait ImageBuilder: Send + Sync {
    /// Builds an image from a tar archive with its Dockerfile, apart from other tenants as their workloads are. The last
    /// event of a successful build is [`BuildEvent::Done`]; dropping the stream cancels.
    ///
    /// # Errors
    /// When its steps can't be kept apart from other tenants.
    async fn build(
        &self,
        build: &ImageBuild,
        tenant: &Tenant,
        context: BoxStream<'static, std::io::Result<Bytes>>,
    ) -> Result<BoxStream<'static, Result<BuildEvent>>>;
}

/// Making images of roots.
#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Size of a root, for the check before it is saved. Walks the files.
    async fn size(&self, id: &WorkloadId) -> Result<ContainerSize>;

    /// Saves a root as an image of its node and returns its id. Settings of the workload alone (its environment and
    /// command) are not included.
    async fn save(&self, id: &WorkloadId, image: &CommitSpec) -> Result<String>;
}

/// What roots have beyond their images, on clusters whose images are in registries alone.
#[async_trait]
pub trait Layers: Send + Sync {
    /// Bytes of what was written into a root, for the check before it is saved. Walks the files.
    ///
    /// # Errors
    /// `NotFound`, and `Conflict` when the root is not kept apart from its pod.
    async fn size(&self, id: &WorkloadId) -> Result<u64>;

    /// A root as a layer on top of its image: a tar archive as the OCI image format has it, not compressed. The stream's
    /// end without an error is the whole; dropping it cancels. What a program writes meanwhile may be in it or not.
    ///
    /// # Errors
    /// As with [`Layers::size`].
    async fn read(&self, id: &WorkloadId) -> Result<BoxStream<'static, Result<Bytes>>>;
}

/// The images on a node.
#[async_trait]
pub trait NodeImages: Send + Sync {
    /// All of them, with what uses them.
    async fn list(&self) -> Result<Vec<NodeImage>>;

    /// One image with its layers and history.
    ///
    /// # Errors
    /// `ImageMissing`.
    async fn inspect(&self, image: &ImageRef) -> Result<ImageDetail>;

    /// The space that removing this name would free.
    async fn frees(&self, image: &ImageRef) -> Result<Frees>;

    /// Removes the name, and the image with its last name.
    ///
    /// # Errors
    /// `Conflict` while something uses it.
    async fn remove(&self, image: &ImageRef) -> Result<Removed>;

    /// Fetches an image from its registry; the stream's end without an error is success.
    fn pull(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>>;

    /// Sends an image to the registry in its name; the stream's end without an error is success.
    fn push(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>>;
}

/// The nodes of a cluster.
#[async_trait]
pub trait ClusterNodes: Send + Sync {
    /// All of them, by name.
    ///
    /// # Errors
    /// `Rejected` when the account may not read them.
    async fn list(&self) -> Result<Vec<ClusterNode>>;
}

/// The programs of workloads.
#[async_trait]
pub trait ProcessView: Send + Sync {
    /// The programs of a workload and what they are connected to.
    async fn programs(&self, id: &WorkloadId) -> Result<ContainerPrograms>;
}

/// The portal's own shell on a node. It sees the machine's processes, device nodes and files, none of a user's programs
/// answers for it, and it can change nothing. `probe` has what is asked through it.
#[async_trait]
pub trait NodeShell: Send + Sync {
    /// Runs a command to its end and returns its output, 4 MiB at most.
    ///
    /// # Errors
    /// `Failed` when it wrote more or ran over `limit`.
    async fn on_node(&self, command: &[&str], limit: Duration) -> Result<ExecOutput>;

    /// The time of the machine, within 5 s.
    async fn time(&self) -> Result<Timestamp>;
}
