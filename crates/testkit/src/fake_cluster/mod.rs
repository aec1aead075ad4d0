//! In-memory clusters, for tests of what real ones can't be made to do at a given time: vanish between two calls, lose a
//! workload, refuse a port. They pass the same conformance suite as real ones ([`crate::conformance`]).

mod images;
mod past;
mod process;
mod runtime;
mod saved;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{DockerRuntime, EndCause, Error, Exit, Foreign, Phase, Resources, Result, Runtime, Site, Usage, Workload};
use kernel::Timestamp;
use portal::{ClusterAddress, Runtimes};
use tokio::sync::Semaphore;

use self::process::Program;
use crate::{FakeEngine, FakeMachine};

/// The size of a new root.
const ROOT: u64 = 1 << 20;

/// All clusters of a test, by address. Each is created on first use.
#[derive(Clone, Debug, Default)]
pub struct FakeClusters(Arc<Mutex<HashMap<String, Entry>>>);

#[derive(Clone, Debug)]
enum Entry {
    Memory(FakeCluster),
    /// Docker's real driver.
    Docker(FakeEngine),
}

impl FakeClusters {
    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cluster at this address.
    ///
    /// # Panics
    /// When there is Docker's driver.
    #[must_use]
    pub fn at(&self, endpoint: &str) -> FakeCluster {
        let made = || {
            let cluster = FakeCluster::default();
            endpoint.clone_into(&mut cluster.inner().id);
            Entry::Memory(cluster)
        };
        match self.entries().entry(endpoint.to_owned()).or_insert_with(made) {
            Entry::Memory(cluster) => cluster.clone(),
            Entry::Docker(_) => panic!("Docker's driver is at {endpoint}"),
        }
    }

    /// Docker's driver at this address, with an engine that is only memory, which is returned.
    #[must_use]
    pub fn docker_at(&self, endpoint: &str) -> FakeEngine {
        let engine = FakeEngine::named(endpoint);
        self.entries().insert(endpoint.to_owned(), Entry::Docker(engine.clone()));
        engine
    }

    /// Adds another address of a cluster.
    pub fn lead(&self, endpoint: &str, cluster: &FakeCluster) {
        self.entries().insert(endpoint.to_owned(), Entry::Memory(cluster.clone()));
    }
}

impl Runtimes for FakeClusters {
    fn connect(&self, address: &ClusterAddress, site: Arc<dyn Site>) -> Result<Arc<dyn Runtime>> {
        let docker = match self.entries().get(&address.endpoint) {
            Some(Entry::Docker(engine)) => Some(engine.clone()),
            _ => None,
        };
        Ok(match docker {
            Some(engine) => Arc::new(DockerRuntime::new(Arc::new(engine), site)),
            None => Arc::new(self.at(&address.endpoint)),
        })
    }
}

/// An in-memory cluster of one node.
#[derive(Clone, Debug, Default)]
pub struct FakeCluster {
    /// Its node, for the machine helper.
    pub machine: FakeMachine,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    id: String,
    gone: bool,
    /// Changing calls that are still answered; then the cluster vanishes after the effect of the last one.
    calls_left: Option<usize>,
    workloads: Vec<Kept>,
    foreign: Vec<Foreign>,
    /// Ids by name.
    images: HashMap<String, String>,
    /// What is in kept roots, by the names of their images.
    roots: HashMap<String, Option<String>>,
    /// Builds that may go on; without a number all may.
    builds: Option<Arc<Semaphore>>,
    /// Starts of workloads that may go on; without a number all may.
    starts: Option<Arc<Semaphore>>,
    /// The limits of builds, in order.
    built: Vec<Resources>,
    ports: HashSet<u16>,
    /// There is no room for anything more.
    full: bool,
    /// The answer of the node's shell to all scripts.
    told: Option<String>,
    /// Its answers to scripts that contain these words.
    scripts: HashMap<&'static str, (i64, String)>,
    /// Its clock; `None`: not reported.
    time: Option<Timestamp>,
    /// When the first certificate of its connection ends.
    certificate_end: Option<Timestamp>,
    /// All that were ever run, by their number.
    programs: Vec<Program>,
    made: usize,
}

/// A workload that is there.
#[derive(Clone, Debug)]
struct Kept {
    workload: Workload,
    object: String,
    phase: Phase,
    /// Whether it was ever started.
    started: bool,
    exit: Option<(Exit, EndCause)>,
    resources: Resources,
    usage: Option<Usage>,
    /// What was run in it beside its own program.
    programs: Vec<Program>,
    /// Bytes that its root takes beside its image, and what was written there.
    root: u64,
    written: Option<String>,
}

impl FakeCluster {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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

fn unasked<T>() -> Result<T> {
    Err(Error::Failed("this cluster is only memory".to_owned()))
}

impl Inner {
    fn next_object(&mut self) -> String {
        self.made += 1;
        format!("{:064x}", self.made)
    }

    fn add_image(&mut self, name: &str) -> String {
        let id = format!("sha256:{}", self.next_object());
        self.images.insert(name.to_owned(), id.clone());
        id
    }

    fn find(&mut self, id: &str) -> Option<&mut Kept> {
        self.workloads.iter_mut().find(|kept| kept.workload.id.as_str() == id)
    }

    fn named(&mut self, name: &str) -> Option<&mut Kept> {
        self.workloads.iter_mut().find(|kept| kept.workload.name == name)
    }

    fn found(&mut self, id: &engine::WorkloadId) -> Result<&mut Kept> {
        self.find(id.as_str()).ok_or_else(|| Error::NotFound(format!("no workload {id}")))
    }

    /// One that runs, or is frozen.
    fn active(&mut self, id: &engine::WorkloadId) -> Result<&mut Kept> {
        let kept = self.found(id)?;
        if !kept.phase.is_active() {
            return Err(Error::Conflict(format!("{id} is not running")));
        }
        Ok(kept)
    }
}

impl Kept {
    fn end(&mut self, exit: Exit, cause: EndCause) {
        self.phase = Phase::Ended(None);
        self.exit = Some((exit, cause));
        self.programs.drain(..).for_each(|program| program.end(137));
    }
}
