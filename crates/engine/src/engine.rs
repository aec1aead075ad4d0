//! The trait that every container engine is used through.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use kernel::Timestamp;

use crate::{
    BuildEvent, BuildSpec, Capabilities, CommitSpec, Container, ContainerRef, ContainerSize, ContainerSpec, Created,
    DiskUsage, EndWitness, EngineEvent, ExecOutput, Frees, HostNetwork, Image, ImageDetail, ImageRef, Inspection,
    LogChunk, LogQuery, MachineHelper, Network, NetworkName, NetworkSpec, Progress, RegistryAuth, Removed, Resources,
    Result, Terminal, TerminalExit, TerminalId, TerminalSize, TerminalSpec, Usage,
};

/// A container engine. Every call ends within its own time limit; [`crate::Error::Unreachable`]
/// says nothing about whether the call took effect. What a stream can't begin with is its first item;
/// it ends with an error when the engine goes away, and dropping it ends what it shows (a build is
/// cancelled, a pull given up).
#[async_trait]
pub trait Engine: Send + Sync {
    /// Whether it answers, within 3 s.
    async fn ping(&self) -> Result<()>;

    /// What time it is on its machine, within 5 s.
    async fn time(&self) -> Result<Timestamp>;

    /// What it is and can do. Asks afresh, so that an engine that was upgraded is seen as it is.
    async fn capabilities(&self) -> Result<Capabilities>;

    /// The portal's own container on the engine's machine, running: it sees the machine's disks,
    /// device nodes and processes, and none of a user's. What is asked through it stands in
    /// `probe`.
    async fn probe(&self) -> Result<ContainerRef>;

    /// The way to act on the engine's machine; `None` for engines that have none.
    fn machine_helper(&self) -> Option<&dyn MachineHelper>;

    /// How its machine is networked, and whether it keeps the machine's firewall.
    async fn host_network(&self) -> Result<HostNetwork>;

    /// All its networks.
    async fn networks(&self) -> Result<Vec<Network>>;

    /// Makes a network. Whole or not at all: a second try after a broken one finds it or makes it.
    ///
    /// # Errors
    /// `Conflict` when another network has its name, its bridge or some of its addresses.
    async fn create_network(&self, spec: &NetworkSpec) -> Result<()>;

    /// Removes a network.
    ///
    /// # Errors
    /// `Conflict` while a running container belongs to it, `NotFound` when it is gone already.
    async fn remove_network(&self, network: &NetworkName) -> Result<()>;

    /// Has a stopped container belong to this network from its next start on, and to no other.
    ///
    /// # Errors
    /// `Conflict` while it runs.
    async fn join_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()>;

    /// How much room images, containers and build cache take. Slow on engines with much on them.
    async fn disk_usage(&self) -> Result<DiskUsage>;

    /// All containers in every state, ours and foreign ones: the complete list or an error.
    async fn list(&self) -> Result<Vec<Container>>;

    /// What happens to containers from now on. Only a hint to look again: events may be missing.
    fn events(&self) -> BoxStream<'static, Result<EngineEvent>>;

    /// Makes a container without starting it. A container of this name, instance and generation
    /// that is there already is taken for the answer.
    ///
    /// # Errors
    /// `NameTaken` when the name belongs to any other container, `ImageMissing`, `Invalid`.
    async fn create(&self, spec: &ContainerSpec) -> Result<Created>;

    /// Starts it; a running one stays as it is.
    ///
    /// # Errors
    /// `PortTaken` with the engine's words when a host port is in use.
    async fn start(&self, container: &ContainerRef) -> Result<()>;

    /// Stops it, with force after `grace`; a stopped one stays as it is. Its root is kept.
    async fn stop(&self, container: &ContainerRef, grace: Duration) -> Result<()>;

    /// Stops, with force after `grace`, and starts it.
    async fn restart(&self, container: &ContainerRef, grace: Duration) -> Result<()>;

    /// Freezes all its programs where they are; a frozen one stays so.
    ///
    /// # Errors
    /// `Conflict` when it does not run.
    async fn pause(&self, container: &ContainerRef) -> Result<()>;

    /// Lets frozen programs go on; those of one that is not frozen do anyhow.
    async fn resume(&self, container: &ContainerRef) -> Result<()>;

    /// Sets CPU, memory and processes, of a running one at once.
    async fn update(&self, container: &ContainerRef, resources: &Resources) -> Result<()>;

    /// Gives it another name.
    async fn rename(&self, container: &ContainerRef, name: &ContainerRef) -> Result<()>;

    /// Removes a stopped container and its root: the only call that frees it.
    ///
    /// # Errors
    /// `Conflict` while it runs, `NotFound` when it is gone already.
    async fn remove(&self, container: &ContainerRef) -> Result<()>;

    /// Everything about one container.
    async fn inspect(&self, container: &ContainerRef) -> Result<Inspection>;

    /// What tells whether a container that ended at this moment, by the engine's clock, ended by itself.
    async fn end_witness(&self, end: Timestamp) -> Result<EndWitness>;

    /// How much its root takes, for the check before an image is made of it. Walks the files.
    async fn size(&self, container: &ContainerRef) -> Result<ContainerSize>;

    /// Runs a command to its end and gives what it wrote, 4 MiB at most.
    ///
    /// # Errors
    /// `Conflict` when the container does not run, `Failed` when it wrote more or ran over `limit`.
    async fn exec(&self, container: &ContainerRef, command: &[&str], limit: Duration) -> Result<ExecOutput>;

    /// Opens a terminal in a running container.
    async fn open_terminal(&self, container: &ContainerRef, spec: &TerminalSpec) -> Result<Terminal>;

    /// Tells the programs in it that their window has this size.
    async fn resize_terminal(&self, terminal: &TerminalId, size: TerminalSize) -> Result<()>;

    /// Whether its program ended and how; `None` while it runs.
    async fn terminal_exit(&self, terminal: &TerminalId) -> Result<Option<TerminalExit>>;

    /// Hangs up, as closing a window does: the shell and its foreground jobs end, what was started
    /// with `nohup` or in `tmux` goes on. Engines leave a terminal's program running for ever when
    /// its connection is merely dropped.
    async fn close_terminal(&self, terminal: &TerminalId) -> Result<()>;

    /// What the container's own program wrote.
    fn logs(&self, container: &ContainerRef, query: LogQuery) -> BoxStream<'static, Result<LogChunk>>;

    /// Measurements, one a second; ends when the container stops.
    fn stats(&self, container: &ContainerRef) -> BoxStream<'static, Result<Usage>>;

    /// One measurement at once.
    async fn usage(&self, container: &ContainerRef) -> Result<Usage>;

    /// The images on this engine.
    async fn images(&self) -> Result<Vec<Image>>;

    /// One image with its layers and history.
    async fn inspect_image(&self, image: &ImageRef) -> Result<ImageDetail>;

    /// What removing this name would free.
    async fn image_frees(&self, image: &ImageRef) -> Result<Frees>;

    /// Takes the name off the image, and the image away with its last name.
    ///
    /// # Errors
    /// `Conflict` while a container uses it.
    async fn remove_image(&self, image: &ImageRef) -> Result<Removed>;

    /// Gives an image one more name.
    async fn tag(&self, image: &ImageRef, name: &ImageRef) -> Result<()>;

    /// Fetches an image from its registry; the stream's end without an error is success.
    fn pull(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>>;

    /// Sends an image to the registry in its name; the stream's end without an error is success.
    fn push(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>>;

    /// Builds an image from a tar archive with its Dockerfile. The last event of a successful
    /// build is [`BuildEvent::Done`]; dropping the stream cancels.
    fn build(
        &self,
        spec: &BuildSpec,
        context: BoxStream<'static, std::io::Result<Bytes>>,
    ) -> BoxStream<'static, Result<BuildEvent>>;

    /// Makes an image of a container's root and answers its id. What belongs to the instance alone
    /// (our labels, its environment and command) does not come along.
    async fn commit(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String>;
}
