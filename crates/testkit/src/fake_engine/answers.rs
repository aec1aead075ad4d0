//! The answers of an in-memory engine to the trait's calls.

use std::time::Duration;

use async_trait::async_trait;
use engine::{
    BuildEvent, BuildSpec, Capabilities, CgroupVersion, CommitSpec, Container, ContainerRef, ContainerSize,
    ContainerSpec, ContainerState, Created, EndWitness, Engine, EngineEvent, Error, ExecOutput, Frees,
    HostNetwork, Image, ImageDetail, ImageRef, Inspection, LogChunk, LogQuery, MachineHelper, Mark, Membership,
    Network, NetworkName, NetworkSpec, Owner, Progress, RegistryAuth, Removed, Resources, Result, RootQuota, Terminal,
    TerminalExit, TerminalId, TerminalSize, TerminalSpec, Usage,
};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use kernel::Timestamp;

use super::{FakeEngine, Kept, image, unasked};

/// The portal's own container.
const PROBE: &str = "yunlab-probe";

#[async_trait]
impl Engine for FakeEngine {
    async fn ping(&self) -> Result<()> {
        self.ask().map(|_| ())
    }

    async fn time(&self) -> Result<Timestamp> {
        let time = self.ask()?.time;
        time.map_or_else(unasked, Ok)
    }

    async fn capabilities(&self) -> Result<Capabilities> {
        let inner = self.ask()?;
        let mut runtimes = vec!["runc".to_owned()];
        if inner.scripts.keys().any(|part| part.contains("nvidia")) {
            runtimes.push("nvidia".to_owned());
        }
        Ok(Capabilities {
            id: inner.id.clone(),
            host_name: "gpu01".to_owned(),
            engine_version: "20.10.24".to_owned(),
            api_version: "1.41".to_owned(),
            operating_system: "Debian GNU/Linux 12".to_owned(),
            kernel: "6.1.0".to_owned(),
            architecture: "x86_64".to_owned(),
            cpus: 32,
            memory: 256 << 30,
            data_root: "/var/lib/docker".to_owned(),
            storage_driver: "overlay2".to_owned(),
            root_quota: RootQuota::None { backing: "extfs".to_owned() },
            cgroup_version: CgroupVersion::V2,
            cgroup_driver: "systemd".to_owned(),
            live_restore: true,
            runtimes,
            default_runtime: "runc".to_owned(),
            cdi: false,
            certificate_end: inner.certificate_end,
            warnings: Vec::new(),
        })
    }

    async fn probe(&self) -> Result<ContainerRef> {
        let inner = self.ask()?;
        if inner.machine.is_some() || !inner.scripts.is_empty() { Ok(PROBE.parse()?) } else { unasked() }
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
        self.change(|inner| inner.make_network(spec))
    }

    async fn remove_network(&self, network: &NetworkName) -> Result<()> {
        self.change(|inner| inner.remove_network(network))
    }

    async fn join_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()> {
        self.change(|inner| inner.join_network(container, network))
    }

    async fn list(&self) -> Result<Vec<Container>> {
        Ok(self.ask()?.containers.iter().map(Kept::listed).collect())
    }

    fn events(&self) -> BoxStream<'static, Result<EngineEvent>> {
        stream::pending().boxed()
    }

    async fn create(&self, spec: &ContainerSpec) -> Result<Created> {
        spec.check()?;
        self.change(|inner| {
            if !inner.images.contains_key(&spec.image.to_string()) {
                return Err(Error::ImageMissing(spec.image.to_string()));
            }
            let cards = spec.cards.iter().map(|card| card.id().to_owned()).collect();
            let mark = Mark { instance: spec.instance.clone(), generation: spec.generation, cards };
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
                spec: Some(spec.clone()),
                resources: spec.resources,
                exit: None,
                usage: None,
                root: super::ROOT,
                networks: vec![Membership {
                    network: spec.network.clone().unwrap_or_else(NetworkName::of_default).to_string(),
                    id: String::new(),
                }],
            });
            Ok(Created { id, adopted: false, warnings: Vec::new() })
        })
    }

    async fn start(&self, container: &ContainerRef) -> Result<()> {
        let held = self.inner().starts.clone();
        if let Some(held) = held {
            held.acquire().await.expect("never closed").forget();
        }
        self.change(|inner| inner.start(container))
    }

    async fn stop(&self, container: &ContainerRef, _grace: Duration) -> Result<()> {
        self.change(|inner| {
            let kept = inner.found(container)?;
            if kept.container.state.is_active() {
                kept.container.state = ContainerState::Exited;
            }
            Ok(())
        })
    }

    async fn restart(&self, container: &ContainerRef, _grace: Duration) -> Result<()> {
        self.change(|inner| inner.start(container))
    }

    async fn pause(&self, container: &ContainerRef) -> Result<()> {
        self.change(|inner| inner.turn(container, ContainerState::Paused))
    }

    async fn resume(&self, container: &ContainerRef) -> Result<()> {
        self.change(|inner| inner.turn(container, ContainerState::Running))
    }

    async fn update(&self, container: &ContainerRef, resources: &Resources) -> Result<()> {
        self.change(|inner| {
            inner.found(container)?.resources = *resources;
            Ok(())
        })
    }

    async fn remove(&self, container: &ContainerRef) -> Result<()> {
        self.change(|inner| {
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
            started: None,
            exit: kept.exit,
            address: None,
            resources: kept.resources,
            shm: 0,
            nodes: Vec::new(),
            uuids: Vec::new(),
            mounts: Vec::new(),
            environment: Vec::new(),
            command: Vec::new(),
        })
    }

    async fn end_witness(&self, end: Timestamp) -> Result<EndWitness> {
        let inner = self.ask()?;
        Ok(EndWitness {
            probe_runs: !inner.probe_stands,
            probe_ended: inner.probe_ended,
            engine_ran_before: inner.restarted.is_none_or(|at| at < end),
        })
    }

    async fn size(&self, container: &ContainerRef) -> Result<ContainerSize> {
        let writable = self.ask()?.found(container)?.root;
        Ok(ContainerSize { writable, root: 3 << 30, layers: 7 })
    }

    /// Every container has two shells, whatever the command.
    async fn exec(&self, container: &ContainerRef, command: &[&str], _limit: Duration) -> Result<ExecOutput> {
        let mut inner = self.ask()?;
        let script = command.get(2).copied().unwrap_or_default();
        let known = inner.scripts.iter().find(|(part, _)| script.contains(**part)).map(|(_, told)| told.clone());
        let (code, told) = match (&inner.machine, known) {
            (_, Some(told)) if container.as_str() == PROBE => told,
            (Some(told), None) if container.as_str() == PROBE => (0, told.clone()),
            (None, None) if container.as_str() == PROBE => (127, String::new()),
            _ => {
                inner.found(container)?;
                (0, "bash\nsh\n".to_owned())
            }
        };
        Ok(ExecOutput { code, stdout: told.into_bytes(), stderr: Vec::new() })
    }

    async fn open_terminal(&self, _container: &ContainerRef, _spec: &TerminalSpec) -> Result<Terminal> {
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

    fn logs(&self, container: &ContainerRef, _query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        let said = || Ok(LogChunk { stderr: false, bytes: bytes::Bytes::from_static(b"hello\n") });
        let found = self.ask().and_then(|mut inner| inner.found(container).map(|_| ()));
        stream::iter([found.and_then(|()| said())]).boxed()
    }

    async fn usage(&self, container: &ContainerRef) -> Result<Usage> {
        self.ask()?.found(container)?.usage.ok_or_else(|| Error::Conflict("it does not run".to_owned()))
    }

    async fn images(&self) -> Result<Vec<Image>> {
        Ok(self.ask()?.images.iter().map(|(name, id)| image(name, id)).collect())
    }

    async fn inspect_image(&self, name: &ImageRef) -> Result<ImageDetail> {
        let name = name.to_string();
        let inner = self.ask()?;
        let id = inner.images.get(&name).ok_or_else(|| Error::ImageMissing(name.clone()))?;
        Ok(ImageDetail {
            image: image(&name, id),
            architecture: "amd64".to_owned(),
            os: "linux".to_owned(),
            environment: Vec::new(),
            entrypoint: Vec::new(),
            command: Vec::new(),
            working_dir: String::new(),
            user: String::new(),
            exposed_ports: Vec::new(),
            layers: Vec::new(),
            history: Vec::new(),
        })
    }

    async fn image_frees(&self, image: &ImageRef) -> Result<Frees> {
        self.inspect_image(image).await.map(|found| Frees {
            bytes: found.image.size,
            other_tags: Vec::new(),
            containers: 0,
        })
    }

    async fn remove_image(&self, image: &ImageRef) -> Result<Removed> {
        self.change(|inner| {
            inner.images.remove(&image.to_string());
            Ok(Removed::default())
        })
    }

    /// Every image exists, except those whose name begins with `absent` or whose registry's path begins with
    /// `unreachable`.
    fn pull(&self, image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        let name = image.to_string();
        let pulled = self.change(|inner| {
            if name.starts_with("absent") {
                return Err(Error::ImageMissing(format!("manifest for {name} not found")));
            }
            if name.contains("/unreachable/") {
                let address = image.registry().unwrap_or_default();
                return Err(Error::Failed(format!("dial tcp {address}: connect: connection refused")));
            }
            inner.add_image(&name);
            let status = "Downloading".to_owned();
            Ok(Progress { layer: Some("0a1b".to_owned()), status, current: Some(10), total: Some(10) })
        });
        stream::iter([pulled]).boxed()
    }

    fn push(&self, image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        let pushed = self.ask().map(|inner| {
            let known = inner.images.contains_key(&image.to_string());
            let status = format!("1: digest: sha256:{:064x} size: 528", usize::from(known));
            Progress { layer: None, status, current: None, total: None }
        });
        stream::iter([pushed]).boxed()
    }

    fn build(
        &self,
        spec: &BuildSpec,
        _context: BoxStream<'static, std::io::Result<bytes::Bytes>>,
    ) -> BoxStream<'static, Result<BuildEvent>> {
        let (engine, name) = (self.clone(), spec.name.to_string());
        let network = spec.network.clone().unwrap_or_else(NetworkName::of_default);
        self.inner().built.push((network.to_string(), spec.resources));
        let said = stream::iter([Ok(BuildEvent::Log(format!("Step 1/1 : FROM {name}\n")))]);
        let built = async move {
            let held = engine.inner().builds.clone();
            if let Some(held) = held {
                held.acquire().await.expect("never closed").forget();
            }
            engine.change(|inner| Ok(BuildEvent::Done(inner.add_image(&name))))
        };
        said.chain(built.into_stream()).boxed()
    }

    async fn commit(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String> {
        self.change(|inner| {
            inner.found(container)?;
            Ok(inner.add_image(&spec.name.to_string()))
        })
    }
}
