//! Docker's engine, over bollard: by a socket or by TCP with TLS, 20.10 (API 1.41) and newer.

mod address;
mod build;
mod commit;
mod create;
mod diagnosis;
mod driver;
mod error;
mod exec;
mod held;
mod image_config;
mod images;
mod inspect;
mod lifecycle;
mod link;
mod list;
mod logs;
mod machine_helper;
mod networks;
mod pipes;
mod probe;
mod stats;
mod system;
mod terminal;
mod tools;
mod transfer;
mod witness;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use kernel::Timestamp;

use ::machine_helper::{Answer, Request};
use tokio::sync::Semaphore;

use crate::{
    BuildEvent, BuildSpec, Capabilities, CommitSpec, Container, ContainerRef, ContainerSize, ContainerSpec, Created,
    EndWitness, Engine, EngineEvent, ExecOutput, Frees, HeldCards, HostNetwork, Image, ImageDetail, ImageRef,
    Inspection, LogChunk, LogQuery, MachineHelper, MachineHelperError, Network, NetworkName, NetworkSpec, NodeShell,
    Pipes, PipesSpec, Progress, RegistryAuth, Removed, Resources, Result, Terminal, TerminalExit, TerminalId,
    TerminalSize, TerminalSpec, ToolsError, ToolsVolume, Usage,
};

pub use address::{EngineAddress, TlsMaterial};
pub use driver::DockerRuntime;
use link::Link;

/// For calls that the engine answers from its memory.
const QUICK: Duration = Duration::from_secs(10);
/// For calls that work on disks, networks and cards.
const WORK: Duration = Duration::from_secs(120);
/// bollard's own limit, above all of ours.
const LONGEST: Duration = Duration::from_secs(3600);

/// A Docker engine.
pub struct DockerEngine {
    docker: bollard::Docker,
    link: Arc<Link>,
    /// The cards of foreign containers by container id; queried once, since they never change.
    held: Mutex<HashMap<String, HeldCards>>,
    /// A turn for each call of the machine helper that may run now.
    helpers: Semaphore,
    /// Held while the probe is looked up or created: its name is taken a moment before it exists.
    probing: tokio::sync::Mutex<()>,
    /// Held while the volume with our program is looked up or filled.
    tooling: tokio::sync::Mutex<()>,
}

impl DockerEngine {
    /// A client for the engine at this endpoint; sends nothing yet.
    #[must_use]
    pub fn new(endpoint: EngineAddress) -> Self {
        let link = Arc::new(Link::new(endpoint));
        let way = Arc::clone(&link);
        let transport = move |request: bollard::BollardRequest| {
            let way = Arc::clone(&way);
            async move { way.send(request).await.map_err(|err| bollard::errors::Error::IOError { err }) }
        };
        let docker = bollard::Docker::connect_with_custom_transport(
            transport,
            Some("http://engine"),
            LONGEST.as_secs(),
            bollard::API_DEFAULT_VERSION,
        )
        .expect("a transport of our own is not connected here");
        Self {
            docker,
            link,
            held: Mutex::default(),
            helpers: Semaphore::new(machine_helper::AT_ONCE),
            probing: tokio::sync::Mutex::default(),
            tooling: tokio::sync::Mutex::default(),
        }
    }
}

impl std::fmt::Debug for DockerEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DockerEngine").field(&self.link).finish()
    }
}

#[async_trait]
impl MachineHelper for DockerEngine {
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError> {
        self.run_helper(request).await
    }
}

/// Through the portal's own container on its machine.
#[async_trait]
impl NodeShell for DockerEngine {
    async fn on_node(&self, command: &[&str], limit: Duration) -> Result<ExecOutput> {
        let probe = self.probe().await?;
        self.run(&probe, command, None, limit).await
    }

    async fn time(&self) -> Result<Timestamp> {
        self.read_time().await
    }
}

/// Each call is implemented in the file of its topic.
#[async_trait]
impl Engine for DockerEngine {
    async fn ping(&self) -> Result<()> {
        self.answers().await
    }

    async fn capabilities(&self) -> Result<Capabilities> {
        self.read_capabilities().await
    }

    fn machine_helper(&self) -> Option<&dyn MachineHelper> {
        Some(self)
    }

    async fn host_network(&self) -> Result<HostNetwork> {
        let data_root = self.data_root().await?;
        crate::probe::host_network(self, &data_root).await
    }

    async fn networks(&self) -> Result<Vec<Network>> {
        self.list_networks().await
    }

    async fn create_network(&self, spec: &NetworkSpec) -> Result<()> {
        self.make_network(spec).await
    }

    async fn remove_network(&self, network: &NetworkName) -> Result<()> {
        self.delete_network(network).await
    }

    async fn join_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()> {
        self.change_network(container, network).await
    }

    async fn list(&self) -> Result<Vec<Container>> {
        self.list_containers().await
    }

    async fn find(&self, instance: &str) -> Result<Option<ContainerRef>> {
        self.find_container(instance).await
    }

    fn events(&self) -> BoxStream<'static, Result<EngineEvent>> {
        self.container_events()
    }

    async fn tools_volume(&self) -> Result<ToolsVolume, ToolsError> {
        self.prepare_tools().await
    }

    async fn create(&self, spec: &ContainerSpec) -> Result<Created> {
        self.create_or_adopt(spec).await
    }

    async fn start(&self, container: &ContainerRef) -> Result<()> {
        self.start_container(container).await
    }

    async fn stop(&self, container: &ContainerRef, grace: Duration) -> Result<()> {
        self.stop_container(container, grace).await
    }

    async fn pause(&self, container: &ContainerRef) -> Result<()> {
        self.pause_container(container).await
    }

    async fn resume(&self, container: &ContainerRef) -> Result<()> {
        self.resume_container(container).await
    }

    async fn update(&self, container: &ContainerRef, resources: &Resources) -> Result<()> {
        self.update_container(container, resources).await
    }

    async fn remove(&self, container: &ContainerRef) -> Result<()> {
        self.remove_container(container).await
    }

    async fn inspect(&self, container: &ContainerRef) -> Result<Inspection> {
        self.inspect_container(container).await
    }

    async fn end_witness(&self, end: Timestamp) -> Result<EndWitness> {
        self.look_around(end).await
    }

    async fn size(&self, container: &ContainerRef) -> Result<ContainerSize> {
        self.container_size(container).await
    }

    async fn exec(&self, container: &ContainerRef, command: &[&str], limit: Duration) -> Result<ExecOutput> {
        self.run(container, command, None, limit).await
    }

    async fn open_terminal(&self, container: &ContainerRef, spec: &TerminalSpec) -> Result<Terminal> {
        self.attach_terminal(container, spec).await
    }

    async fn open_pipes(&self, container: &ContainerRef, spec: &PipesSpec) -> Result<Pipes> {
        self.attach_pipes(container, spec).await
    }

    async fn signal_terminal(&self, terminal: &TerminalId, signal: &str) -> Result<()> {
        self.signal_program(terminal, signal).await
    }

    async fn resize_terminal(&self, terminal: &TerminalId, size: TerminalSize) -> Result<()> {
        self.set_terminal_size(terminal, size).await
    }

    async fn terminal_exit(&self, terminal: &TerminalId) -> Result<Option<TerminalExit>> {
        self.terminal_status(terminal).await
    }

    async fn close_terminal(&self, terminal: &TerminalId) -> Result<()> {
        self.hang_up(terminal).await
    }

    fn logs(&self, container: &ContainerRef, query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        self.container_logs(container, query)
    }

    async fn usage(&self, container: &ContainerRef) -> Result<Usage> {
        self.container_usage(container).await
    }

    async fn images(&self) -> Result<Vec<Image>> {
        self.list_images().await
    }

    async fn inspect_image(&self, image: &ImageRef) -> Result<ImageDetail> {
        self.image_detail(image).await
    }

    async fn image_frees(&self, image: &ImageRef) -> Result<Frees> {
        self.freed_by_removing(image).await
    }

    async fn remove_image(&self, image: &ImageRef) -> Result<Removed> {
        self.remove_image_name(image).await
    }

    fn pull(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        self.pull_image(image, auth)
    }

    fn push(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        self.push_image(image, auth)
    }

    fn build(
        &self,
        spec: &BuildSpec,
        context: BoxStream<'static, std::io::Result<Bytes>>,
    ) -> BoxStream<'static, Result<BuildEvent>> {
        self.build_image(spec, context)
    }

    async fn commit(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String> {
        self.commit_container(container, spec).await
    }
}
