//! In-memory container engines below Docker's real driver, for tests of its networks: with changes past the portal, and
//! with networks of the machine that no real one here has.

mod answers;
mod networks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{
    Container, ContainerRef, ContainerSpec, ContainerState, Error, HostNetwork, Membership, Network, Owner, Result,
};
use kernel::Timestamp;

use crate::FakeMachine;

/// An in-memory engine.
#[derive(Clone, Debug, Default)]
pub struct FakeEngine {
    /// Its machine, for the machine helper.
    pub machine: FakeMachine,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    id: String,
    gone: bool,
    containers: Vec<Kept>,
    /// Ids by name.
    images: HashMap<String, String>,
    /// The networks that builds ran in.
    built: Vec<String>,
    host_network: HostNetwork,
    /// Besides the default network.
    networks: Vec<Network>,
    made: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    container: Container,
    spec: ContainerSpec,
    /// When it was last started.
    started: Option<Timestamp>,
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
    /// An engine with this ID.
    #[must_use]
    pub fn named(id: &str) -> Self {
        let engine = Self::default();
        id.clone_into(&mut engine.inner().id);
        engine
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It no longer answers.
    pub fn go(&self) {
        self.inner().gone = true;
    }

    /// It answers again.
    pub fn come_back(&self) {
        self.inner().gone = false;
    }

    /// Names and states of all containers.
    #[must_use]
    pub fn containers(&self) -> Vec<(String, ContainerState)> {
        self.inner().containers.iter().map(|kept| (kept.container.name.clone(), kept.container.state)).collect()
    }

    /// The spec of a container.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<ContainerSpec> {
        Some(self.inner().find(name)?.spec.clone())
    }

    fn ask(&self) -> Result<MutexGuard<'_, Inner>> {
        let inner = self.inner();
        if inner.gone { Err(away()) } else { Ok(inner) }
    }
}

fn away() -> Error {
    Error::Unreachable("connection refused".to_owned())
}

fn absent(name: &str) -> Error {
    Error::NotFound(format!("No such container: {name}"))
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
        let networks = self.attached(name)?;
        let kept = self.found(name)?;
        kept.networks = networks;
        kept.container.state = ContainerState::Running;
        kept.started = Some(Timestamp::from_millis(1));
        Ok(())
    }
}
