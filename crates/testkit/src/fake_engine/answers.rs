//! The answers of an in-memory engine to the trait's calls.

use std::time::Duration;

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{
    BuildEvent, BuildSpec, Capabilities, CommitSpec, Container, ContainerRef, ContainerSize, ContainerSpec,
    ContainerState, Created, EndWitness, Engine, EngineEvent, Error, ExecOutput, Frees, HostNetwork, Image,
    ImageDetail, ImageRef, Inspection, LogChunk, LogQuery, MachineHelper, MachineHelperError, Mark, Membership,
    Network, NetworkName, NetworkSpec, NodeShell, Owner, Pipes, PipesSpec, Progress, RegistryAuth, Removed, Resources,
    Result, Terminal, TerminalExit, TerminalId, TerminalSize, TerminalSpec, ToolsError, ToolsVolume, Usage,
};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use kernel::Timestamp;

use super::{FakeEngine, Kept, unasked};
use crate::fake_facts::{capabilities, image, image_detail};

#[async_trait]
impl NodeShell for FakeEngine {
    async fn on_node(&self, _command: &[&str], _limit: Duration) -> Result<ExecOutput> {
        unasked()
    }

    async fn time(&self) -> Result<Timestamp> {
        unasked()
    }
}

#[async_trait]
impl MachineHelper for FakeEngine {
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError> {
        drop(self.ask()?);
        self.machine.carry_out(request)
    }
}

#[async_trait]
impl Engine for FakeEngine {
    async fn ping(&self) -> Result<()> {
        self.ask().map(|_| ())
    }

    async fn capabilities(&self) -> Result<Capabilities> {
        Ok(capabilities(&self.ask()?.id, false, None))
    }

    fn machine_helper(&self) -> Option<&dyn MachineHelper> {
        Some(self)
    }

    async fn host_network(&self) -> Result<HostNetwork> {
        Ok(self.ask()?.host_network.clone())
    }

    async fn networks(&self) -> Result<Vec<Network>> {
        Ok(self.ask()?.all_networks())
    }

    async fn create_network(&self, spec: &NetworkSpec) -> Result<()> {
        self.ask().and_then(|mut inner| inner.make_network(spec))
    }

    async fn remove_network(&self, network: &NetworkName) -> Result<()> {
        self.ask().and_then(|mut inner| inner.remove_network(network))
    }

    async fn join_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()> {
        self.ask().and_then(|mut inner| inner.join_network(container, network))
    }

    async fn list(&self) -> Result<Vec<Container>> {
        Ok(self.ask()?.containers.iter().map(Kept::listed).collect())
    }

    async fn find(&self, instance: &str) -> Result<Option<ContainerRef>> {
        let inner = self.ask()?;
        let is_it = |kept: &&Kept| matches!(&kept.container.owner, Owner::Portal(mark) if mark.instance == instance);
        Ok(inner.containers.iter().find(is_it).map(|kept| kept.container.id.clone()))
    }

    fn events(&self) -> BoxStream<'static, Result<EngineEvent>> {
        stream::pending().boxed()
    }

    async fn tools_volume(&self) -> Result<ToolsVolume, ToolsError> {
        drop(self.ask()?);
        Ok("yunlab-tools-fake".parse().map_err(Error::Invalid)?)
    }

    async fn create(&self, spec: &ContainerSpec) -> Result<Created> {
        spec.check()?;
        self.ask().and_then(|mut inner| {
            if !inner.images.contains_key(&spec.image.to_string()) {
                return Err(Error::ImageMissing(spec.image.to_string()));
            }
            let cards = spec.cards.iter().map(|card| card.id().to_owned()).collect();
            let mark = Mark {
                instance: spec.instance.clone(),
                generation: spec.generation,
                cards,
                tools: spec.tools.is_some(),
            };
            if let Some(kept) = inner.find(spec.name.as_str()) {
                let same = matches!(&kept.container.owner, Owner::Portal(other)
                    if (&other.instance, other.generation) == (&mark.instance, mark.generation));
                let id = kept.container.id.clone();
                return if same {
                    Ok(Created { id, adopted: true, warnings: Vec::new() })
                } else {
                    Err(Error::NameTaken(spec.name.to_string()))
                };
            }
            let image = spec.image.to_string();
            let mut container =
                inner.container(spec.name.as_str(), &image, Owner::Portal(mark), ContainerState::Created);
            container.ports.clone_from(&spec.ports);
            let id = container.id.clone();
            inner.containers.push(Kept {
                container,
                spec: spec.clone(),
                started: None,
                networks: vec![Membership {
                    network: spec.network.clone().unwrap_or_else(NetworkName::of_default).to_string(),
                    id: String::new(),
                }],
            });
            Ok(Created { id, adopted: false, warnings: Vec::new() })
        })
    }

    async fn start(&self, container: &ContainerRef) -> Result<()> {
        self.ask().and_then(|mut inner| inner.start(container))
    }

    async fn stop(&self, container: &ContainerRef, _grace: Duration) -> Result<()> {
        self.ask().and_then(|mut inner| {
            let kept = inner.found(container)?;
            if kept.container.state.is_active() {
                kept.container.state = ContainerState::Exited;
            }
            Ok(())
        })
    }

    async fn pause(&self, container: &ContainerRef) -> Result<()> {
        self.ask().and_then(|mut inner| inner.turn(container, ContainerState::Paused))
    }

    async fn resume(&self, container: &ContainerRef) -> Result<()> {
        self.ask().and_then(|mut inner| inner.turn(container, ContainerState::Running))
    }

    async fn update(&self, container: &ContainerRef, resources: &Resources) -> Result<()> {
        self.ask()?.found(container)?.spec.resources = *resources;
        Ok(())
    }

    async fn remove(&self, container: &ContainerRef) -> Result<()> {
        self.ask().and_then(|mut inner| {
            if inner.found(container)?.container.state.is_active() {
                return Err(Error::Conflict("You cannot remove a running container".to_owned()));
            }
            let name = container.as_str();
            inner.containers.retain(|kept| kept.container.name != name && kept.container.id.as_str() != name);
            Ok(())
        })
    }

    async fn inspect(&self, container: &ContainerRef) -> Result<Inspection> {
        let mut inner = self.ask()?;
        let kept = inner.found(container)?.clone();
        Ok(Inspection {
            container: kept.listed(),
            networks: kept.networks,
            started: kept.started,
            exit: None,
            address: None,
            resources: kept.spec.resources,
            shm: 0,
            nodes: Vec::new(),
            uuids: Vec::new(),
            mounts: Vec::new(),
            environment: Vec::new(),
            command: Vec::new(),
        })
    }

    async fn end_witness(&self, _end: Timestamp) -> Result<EndWitness> {
        unasked()
    }

    async fn size(&self, _container: &ContainerRef) -> Result<ContainerSize> {
        unasked()
    }

    async fn exec(&self, _container: &ContainerRef, _command: &[&str], _limit: Duration) -> Result<ExecOutput> {
        unasked()
    }

    async fn open_terminal(&self, _container: &ContainerRef, _spec: &TerminalSpec) -> Result<Terminal> {
        unasked()
    }

    async fn open_pipes(&self, _container: &ContainerRef, _spec: &PipesSpec) -> Result<Pipes> {
        unasked()
    }

    async fn signal_terminal(&self, _terminal: &TerminalId, _signal: &str) -> Result<()> {
        unasked()
    }

    async fn resize_terminal(&self, _terminal: &TerminalId, _size: TerminalSize) -> Result<()> {
        unasked()
    }

    async fn terminal_exit(&self, _terminal: &TerminalId) -> Result<Option<TerminalExit>> {
        unasked()
    }

    async fn close_terminal(&self, _terminal: &TerminalId) -> Result<()> {
        unasked()
    }

    fn logs(&self, _container: &ContainerRef, _query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        stream::iter([unasked()]).boxed()
    }

    async fn usage(&self, _container: &ContainerRef) -> Result<Usage> {
        unasked()
    }

    async fn images(&self) -> Result<Vec<Image>> {
        Ok(self.ask()?.images.iter().map(|(name, id)| image(name, id)).collect())
    }

    async fn inspect_image(&self, name: &ImageRef) -> Result<ImageDetail> {
        let name = name.to_string();
        let inner = self.ask()?;
        let id = inner.images.get(&name).ok_or_else(|| Error::ImageMissing(name.clone()))?;
        Ok(image_detail(&name, id))
    }

    async fn image_frees(&self, image: &ImageRef) -> Result<Frees> {
        self.inspect_image(image).await.map(|found| Frees {
            bytes: found.image.size,
            other_tags: Vec::new(),
            containers: 0,
        })
    }

    async fn remove_image(&self, image: &ImageRef) -> Result<Removed> {
        self.ask()?.images.remove(&image.to_string());
        Ok(Removed::default())
    }

    /// Every image exists.
    fn pull(&self, image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        let pulled = self.ask().map(|mut inner| {
            inner.add_image(&image.to_string());
            let status = "Downloading".to_owned();
            Progress { layer: Some("0a1b".to_owned()), status, current: Some(10), total: Some(10) }
        });
        stream::iter([pulled]).boxed()
    }

    fn push(&self, _image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        stream::iter([unasked()]).boxed()
    }

    fn build(
        &self,
        spec: &BuildSpec,
        _context: BoxStream<'static, std::io::Result<bytes::Bytes>>,
    ) -> BoxStream<'static, Result<BuildEvent>> {
        let network = spec.network.clone().unwrap_or_else(NetworkName::of_default);
        let built = self.ask().map(|mut inner| {
            inner.built.push(network.to_string());
            BuildEvent::Done(inner.add_image(&spec.name.to_string()))
        });
        stream::iter([built]).boxed()
    }

    async fn commit(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String> {
        self.ask().and_then(|mut inner| {
            inner.found(container)?;
            Ok(inner.add_image(&spec.name.to_string()))
        })
    }
}
