//! The trait that every container engine is used through.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use kernel::Timestamp;

use crate::{
    BuildEvent, BuildSpec, Capabilities, CommitSpec, Container, ContainerRef, ContainerSize, ContainerSpec, Created,
    EndWitness, EngineEvent, ExecOutput, Frees, HostNetwork, Image, ImageDetail, ImageRef, Inspection, LogChunk,
    LogQuery, MachineHelper, Network, NetworkName, NetworkSpec, NodeShell, Pipes, PipesSpec, Progress, RegistryAuth,
    Removed, Resources, Result, Terminal, TerminalExit, TerminalId, TerminalSize, TerminalSpec, ToolsError,
    ToolsVolume, Usage,
};

/// A container engine. Every call ends within its own time limit; [`crate::Error::Unreachable`] says nothing about
/// whether the call took effect. If a stream cannot begin, the error is its first item. A stream ends with an error
/// when the engine goes away, and dropping it cancels the work behind it (a build is cancelled, a pull aborted).
#[async_trait]
pub trait Engine: NodeShell + std::fmt::Debug {
    /// Whether it answers, within 3 s.
    async fn ping(&self) -> Result<()>;

    /// The engine's facts and capabilities. Always queried, so that an upgrade of the engine is noticed.
    async fn capabilities(&self) -> Result<Capabilities>;

    /// Access to the engine's machine for changes; `None` for engines without it.
    fn machine_helper(&self) -> Option<&dyn MachineHelper>;

    /// How its machine is networked, and whether it keeps the machine's firewall.
    async fn host_network(&self) -> Result<HostNetwork>;

    /// All its networks.
    async fn networks(&self) -> Result<Vec<Network>>;

    /// Creates a network, atomically: a retry after an interrupted try finds it or creates it.
    ///
    /// # Errors
    /// `Conflict` when another network has its name, its bridge or an overlapping subnet.
    async fn create_network(&self, spec: &NetworkSpec) -> Result<()>;

    /// Removes a network.
    ///
    /// # Errors
    /// `Conflict` while a running container is in it, `NotFound` when it does not exist.
    async fn remove_network(&self, network: &NetworkName) -> Result<()>;

    /// Has a stopped container belong to this network from its next start on, and to no other.
    ///
    /// # Errors
    /// `Conflict` while it runs.
    async fn join_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()>;

    /// All containers in every state, ours and foreign ones: the complete list or an error.
    async fn list(&self) -> Result<Vec<Container>>;

    /// The container with this instance in its label; `None` if there is none.
    async fn find(&self, instance: &str) -> Result<Option<ContainerRef>>;

    /// Events of containers from now on. Only a hint to look again: events may be missing.
    fn events(&self) -> BoxStream<'static, Result<EngineEvent>>;

    /// Ensures that the volume with our program for containers is there, for [`ContainerSpec::tools`].
    ///
    /// # Errors
    /// `OtherArchitecture` when the program is not built for this engine.
    async fn tools_volume(&self) -> Result<ToolsVolume, ToolsError>;

    /// Creates a container without starting it. An existing container with this name, instance and generation is
    /// returned instead.
    ///
    /// # Errors
    /// `NameTaken` when any other container has the name, `ImageMissing`, `Invalid`.
    async fn create(&self, spec: &ContainerSpec) -> Result<Created>;

    /// Starts a container; does nothing if it runs.
    ///
    /// # Errors
    /// `PortTaken` with the engine's words when a host port is in use.
    async fn start(&self, container: &ContainerRef) -> Result<()>;

    /// Stops a container, by force after `grace`; does nothing if it is stopped. Its root is kept.
    async fn stop(&self, container: &ContainerRef, grace: Duration) -> Result<()>;

    /// Freezes all its processes; does nothing if it is frozen.
    ///
    /// # Errors
    /// `Conflict` when it does not run.
    async fn pause(&self, container: &ContainerRef) -> Result<()>;

    /// Resumes frozen processes; does nothing if it is not frozen.
    async fn resume(&self, container: &ContainerRef) -> Result<()>;

    /// Sets the limits of CPU, memory and processes, effective at once in a running container.
    async fn update(&self, container: &ContainerRef, resources: &Resources) -> Result<()>;

    /// Removes a stopped container and its root; the only call that deletes a root.
    ///
    /// # Errors
    /// `Conflict` while it runs, `NotFound` when it does not exist.
    async fn remove(&self, container: &ContainerRef) -> Result<()>;

    /// Describes one container in full.
    async fn inspect(&self, container: &ContainerRef) -> Result<Inspection>;

    /// The evidence on whether a container that ended at this time, by the engine's clock, ended by itself.
    async fn end_witness(&self, end: Timestamp) -> Result<EndWitness>;

    /// Size of its root, for the check before it is saved as an image. Walks the files.
    async fn size(&self, container: &ContainerRef) -> Result<ContainerSize>;

    /// Runs a command to its end and returns its output, 4 MiB at most.
    ///
    /// # Errors
    /// `Conflict` when the container does not run, `Failed` when it wrote more or ran over `limit`.
    async fn exec(&self, container: &ContainerRef, command: &[&str], limit: Duration) -> Result<ExecOutput>;

    /// Opens a terminal in a running container.
    async fn open_terminal(&self, container: &ContainerRef, spec: &TerminalSpec) -> Result<Terminal>;

    /// Starts a program with three pipes in a running container.
    async fn open_pipes(&self, container: &ContainerRef, spec: &PipesSpec) -> Result<Pipes>;

    /// Sends a signal, by its name without `SIG`, to a terminal's or pipes' program.
    async fn signal_terminal(&self, terminal: &TerminalId, signal: &str) -> Result<()>;

    /// Sets the window size of a terminal.
    async fn resize_terminal(&self, terminal: &TerminalId, size: TerminalSize) -> Result<()>;

    /// The exit of its program; `None` while it runs.
    async fn terminal_exit(&self, terminal: &TerminalId) -> Result<Option<TerminalExit>>;

    /// Hangs up, as closing a window does: the shell and its foreground jobs end, programs under `nohup` or `tmux` keep
    /// running. When the connection is merely dropped, engines leave the terminal's program running for ever.
    async fn close_terminal(&self, terminal: &TerminalId) -> Result<()>;

    /// The output of the container's main process.
    fn logs(&self, container: &ContainerRef, query: LogQuery) -> BoxStream<'static, Result<LogChunk>>;

    /// Takes one measurement at once.
    async fn usage(&self, container: &ContainerRef) -> Result<Usage>;

    /// The images on this engine.
    async fn images(&self) -> Result<Vec<Image>>;

    /// One image with its layers and history.
    async fn inspect_image(&self, image: &ImageRef) -> Result<ImageDetail>;

    /// The space that removing this name would free.
    async fn image_frees(&self, image: &ImageRef) -> Result<Frees>;

    /// Removes the name, and the image with its last name.
    ///
    /// # Errors
    /// `Conflict` while a container uses it.
    async fn remove_image(&self, image: &ImageRef) -> Result<Removed>;

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

    /// Commits a container's root as an image and returns its id. Settings of the instance alone (our labels, its
    /// environment and command) are not included.
    async fn commit(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String>;
}
