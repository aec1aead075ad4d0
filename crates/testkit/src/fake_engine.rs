//! In-memory container engines, for tests of what real ones can't be made to do at a given time: vanish between two
//! calls, lose a container, refuse a port.

mod answers;
mod machine_helper;
mod networks;
mod saved;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::machine_helper::{Guard, ProjectId, Request};
use engine::{
    Container, ContainerRef, ContainerSpec, ContainerState, Engine, Error, Exit, HeldCards, HostNetwork, Image,
    MachineHelperError, Membership, Network, Owner, Resources, Result, Usage,
};
use kernel::Timestamp;
use portal::{EngineAddress, Engines};
use tokio::sync::Semaphore;

/// The size of a new container's root.
const ROOT: u64 = 1 << 20;

/// All engines of a test, by address. Each is created on first use.
#[derive(Clone, Debug, Default)]
pub struct FakeEngines(Arc<Mutex<HashMap<String, FakeEngine>>>);

impl FakeEngines {
    /// The engine at this address.
    #[must_use]
    pub fn at(&self, endpoint: &str) -> FakeEngine {
        let mut engines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let engine = FakeEngine::default();
            endpoint.clone_into(&mut engine.inner().id);
            engine
        };
        engines.entry(endpoint.to_owned()).or_insert_with(made).clone()
    }

    /// Adds another address of an engine.
    pub fn lead(&self, endpoint: &str, engine: &FakeEngine) {
        let mut engines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        engines.insert(endpoint.to_owned(), engine.clone());
    }
}

impl Engines for FakeEngines {
    fn connect(&self, address: &EngineAddress) -> Result<Arc<dyn Engine>> {
        Ok(Arc::new(self.at(&address.endpoint)))
    }
}

/// An in-memory engine.
#[derive(Clone, Debug, Default)]
pub struct FakeEngine(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    id: String,
    gone: bool,
    /// Changing calls that are still answered; then the engine vanishes after the effect of the last one.
    calls_left: Option<usize>,
    containers: Vec<Kept>,
    /// Ids by name.
    images: HashMap<String, String>,
    /// Builds that may go on; without a number all may.
    builds: Option<Arc<Semaphore>>,
    /// Starts of containers that may go on; without a number all may.
    starts: Option<Arc<Semaphore>>,
    /// The networks that builds ran in, with their limits.
    built: Vec<(String, Resources)>,
    ports: HashSet<u16>,
    /// The machine's answer to queries through the portal's own container.
    machine: Option<String>,
    /// Its answers to scripts that contain these words.
    scripts: HashMap<&'static str, (i64, String)>,
    /// When it was last started again, if it was.
    restarted: Option<Timestamp>,
    /// Whether the portal's own container does not run, and when it last ended.
    probe_stands: bool,
    probe_ended: Option<Timestamp>,
    /// Its clock; `None`: not reported.
    time: Option<Timestamp>,
    /// When the first certificate of its connection ends.
    certificate_end: Option<Timestamp>,
    /// The machine helper's requests, and its failure, if set.
    asked: Vec<Request>,
    helper_fails: Option<MachineHelperError>,
    /// Whether programs have files open on unmounted paths.
    files_open: bool,
    /// How its machine mounts the network disk, if not as usual.
    disk_options: Option<String>,
    /// Limits of projects on its network disk.
    project_limits: HashMap<ProjectId, NonZeroU64>,
    /// Our network table.
    guard: Option<Guard>,
    host_network: HostNetwork,
    /// Besides the default network.
    networks: Vec<Network>,
    made: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    container: Container,
    spec: Option<ContainerSpec>,
    resources: Resources,
    exit: Option<Exit>,
    usage: Option<Usage>,
    /// Bytes that its root takes beside its image.
    root: u64,
    networks: Vec<Membership>,
}

impl Kept {
    /// As the list shows it.
    fn listed(&self) -> Container {
        let networks = self.networks.iter().map(|one| one.network.clone()).collect();
        Container { networks, ..self.container.clone() }
    }
}

impl FakeEngine {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its own ID.
    #[must_use]
    pub fn own_id(&self) -> String {
        self.inner().id.clone()
    }

    /// Reports this engine ID from now on, as if its address led to another engine.
    pub fn pass_for(&self, id: &str) {
        id.clone_into(&mut self.inner().id);
    }

    /// Sets its clock.
    pub fn set_time(&self, time: Timestamp) {
        self.inner().time = Some(time);
    }

    /// Sets when the first certificate of its connection ends.
    pub fn set_certificate_end(&self, end: Timestamp) {
        self.inner().certificate_end = Some(end);
    }

    /// It no longer answers.
    pub fn go(&self) {
        self.inner().gone = true;
    }

    /// It answers again.
    pub fn come_back(&self) {
        let mut inner = self.inner();
        inner.gone = false;
        inner.calls_left = None;
    }

    /// Answers this many more changing calls, then carries out the next one and vanishes before the answer.
    pub fn go_after(&self, calls: usize) {
        self.inner().calls_left = Some(calls);
    }

    /// A host port that something else on the machine uses.
    pub fn occupy(&self, port: u16) {
        self.inner().ports.insert(port);
    }

    /// Starts a container past the portal, with these device nodes.
    pub fn add_foreign(&self, name: &str, nodes: &[&str]) {
        let held = HeldCards { nodes: nodes.iter().map(|node| (*node).to_owned()).collect(), ..HeldCards::default() };
        let mut inner = self.inner();
        let container = inner.container(name, "somebody/thing", Owner::Foreign(held), ContainerState::Running);
        let resources = Resources { cpu_quota: 0, memory: 0, pids: 1 };
        inner.containers.push(Kept {
            container,
            spec: None,
            resources,
            exit: None,
            usage: None,
            root: ROOT,
            networks: Vec::new(),
        });
    }

    /// Removes a container past the portal.
    pub fn lose(&self, name: &str) {
        self.inner().containers.retain(|kept| kept.container.name != name);
    }

    /// A container's program ends.
    pub fn end(&self, name: &str, code: i64, out_of_memory: bool) {
        if let Some(kept) = self.inner().find(name) {
            kept.container.state = ContainerState::Exited;
            kept.exit = Some(Exit { code, out_of_memory, error: String::new(), finished: None });
        }
    }

    /// Ends every program at this time with this code, as when the machine shuts down. The portal's own container stays
    /// stopped until [`FakeEngine::start_probe`].
    pub fn end_all(&self, at: Timestamp, code: i64) {
        let mut inner = self.inner();
        for kept in inner.containers.iter_mut().filter(|kept| kept.container.state.is_active()) {
            kept.container.state = ContainerState::Exited;
            kept.exit = Some(Exit { code, out_of_memory: false, error: String::new(), finished: Some(at) });
        }
        (inner.probe_ended, inner.probe_stands) = (Some(at), true);
    }

    /// The portal's own container runs again.
    pub fn start_probe(&self) {
        self.inner().probe_stands = false;
    }

    /// Restarts it at this time, alone or with its machine; it answers again.
    pub fn restart(&self, at: Timestamp, code: i64) {
        self.end_all(at, code);
        self.inner().restarted = Some(at);
        self.start_probe();
    }

    /// Sets the usage of a container.
    pub fn use_up(&self, name: &str, usage: Usage) {
        if let Some(kept) = self.inner().find(name) {
            kept.usage = Some(usage);
        }
    }

    /// Sets the size of a container's root, without its image.
    pub fn fill_root(&self, name: &str, bytes: u64) {
        if let Some(kept) = self.inner().find(name) {
            kept.root = bytes;
        }
    }

    /// Sets the machine's answer to all requests; before, it does not answer.
    pub fn machine_tells(&self, told: &str) {
        self.inner().machine = Some(told.to_owned());
    }

    /// Sets the output and exit of every script that contains these words. With `nvidia-smi` the engine also gets
    /// NVIDIA's runtime.
    pub fn script_tells(&self, part: &'static str, code: i64, told: &str) {
        self.inner().scripts.insert(part, (code, told.to_owned()));
    }

    /// Starts a container past the portal.
    pub fn start_past_the_portal(&self, name: &str) {
        if let Some(kept) = self.inner().find(name) {
            kept.container.state = ContainerState::Running;
        }
    }

    /// Names and states of all containers.
    #[must_use]
    pub fn containers(&self) -> Vec<(String, ContainerState)> {
        self.inner().containers.iter().map(|kept| (kept.container.name.clone(), kept.container.state)).collect()
    }

    /// The spec of a container.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<ContainerSpec> {
        self.inner().find(name)?.spec.clone()
    }

    /// The present limits of a container.
    #[must_use]
    pub fn resources(&self, name: &str) -> Option<Resources> {
        Some(self.inner().find(name)?.resources)
    }

    /// The names of all images.
    #[must_use]
    pub fn image_names(&self) -> HashSet<String> {
        self.inner().images.keys().cloned().collect()
    }

    /// Adds a name to an image past the portal.
    ///
    /// # Panics
    /// When there is no such image.
    pub fn alias(&self, image: &str, name: &str) {
        let mut inner = self.inner();
        let id = inner.images.get(image).expect("an image").clone();
        inner.images.insert(name.to_owned(), id);
    }

    /// Builds wait from now on until the answer has permits for them.
    #[must_use]
    pub fn hold_builds(&self) -> Arc<Semaphore> {
        let held = Arc::new(Semaphore::new(0));
        self.inner().builds = Some(Arc::clone(&held));
        held
    }

    /// Starts of containers wait from now on until the answer has permits for them.
    #[must_use]
    pub fn hold_starts(&self) -> Arc<Semaphore> {
        let held = Arc::new(Semaphore::new(0));
        self.inner().starts = Some(Arc::clone(&held));
        held
    }

    fn ask(&self) -> Result<MutexGuard<'_, Inner>> {
        let inner = self.inner();
        if inner.gone { Err(away()) } else { Ok(inner) }
    }

    /// Makes a change, and may vanish before the answer.
    fn change<T>(&self, change: impl FnOnce(&mut Inner) -> Result<T>) -> Result<T> {
        let mut inner = self.ask()?;
        let left = inner.calls_left.map(|left| left.checked_sub(1));
        let answer = change(&mut inner);
        match left {
            Some(None) => {
                inner.gone = true;
                Err(away())
            }
            Some(left) => {
                inner.calls_left = left;
                answer
            }
            None => answer,
        }
    }
}

fn away() -> Error {
    Error::Unreachable("connection refused".to_owned())
}

fn absent(name: &str) -> Error {
    Error::NotFound(format!("No such container: {name}"))
}

fn image(name: &str, id: &str) -> Image {
    let created = Timestamp::from_millis(0);
    Image { id: id.to_owned(), tags: vec![name.to_owned()], digests: Vec::new(), size: 3 << 30, created }
}

fn unasked<T>() -> Result<T> {
    Err(Error::Failed("this engine is only memory".to_owned()))
}

impl Inner {
    fn container(&mut self, name: &str, image: &str, owner: Owner, state: ContainerState) -> Container {
        self.made += 1;
        Container {
            id: format!("{:064x}", self.made).parse().expect("an id"),
            name: name.to_owned(),
            image: image.to_owned(),
            image_id: format!("sha256:{:064x}", 1),
            created: Timestamp::from_millis(0),
            state,
            owner,
            ports: Vec::new(),
            networks: Vec::new(),
        }
    }

    fn add_image(&mut self, name: &str) -> String {
        self.made += 1;
        let id = format!("sha256:{:064x}", self.made);
        self.images.insert(name.to_owned(), id.clone());
        id
    }

    fn find(&mut self, name: &str) -> Option<&mut Kept> {
        self.containers.iter_mut().find(|kept| kept.container.name == name || kept.container.id.as_str() == name)
    }

    fn found(&mut self, name: &ContainerRef) -> Result<&mut Kept> {
        self.find(name.as_str()).ok_or_else(|| absent(name.as_str()))
    }

    fn turn(&mut self, name: &ContainerRef, state: ContainerState) -> Result<()> {
        let kept = self.found(name)?;
        if !kept.container.state.is_active() {
            return Err(Error::Conflict(format!("Container {name} is not running")));
        }
        kept.container.state = state;
        Ok(())
    }

    fn start(&mut self, name: &ContainerRef) -> Result<()> {
        let taken = self.ports.clone();
        let kept = self.found(name)?;
        let wanted = kept.spec.iter().flat_map(|spec| &spec.ports);
        if let Some(port) = wanted.map(|port| port.host.get()).find(|port| taken.contains(port)) {
            let words = format!(
                "driver failed programming external connectivity on endpoint {name}: Bind for 0.0.0.0:{port} failed: port is already allocated"
            );
            return Err(Error::PortTaken(words));
        }
        let networks = self.attached(name)?;
        let kept = self.found(name)?;
        kept.networks = networks;
        kept.container.state = ContainerState::Running;
        Ok(())
    }
}
