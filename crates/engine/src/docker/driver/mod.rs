//! Docker's engine as a cluster of one node: what a workload is there. `apply` brings one to run, `observe` tells what
//! there is, `network` keeps tenants apart.

mod apply;
mod builder;
mod images;
mod names;
mod network;
mod observe;
mod process;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};

use super::diagnosis::{engine_findings, machine_findings};
use crate::runtime::{
    Care, Failure, Freezing, ImageBuilder, NodeImages, NodeShell, ProcessView, Resizing, Runtime, Snapshots, Watch,
};
use crate::{
    Capabilities, Command, CommitSpec, Container, ContainerPrograms, ContainerRef, ContainerSize, Engine, Error,
    Expected, Finding, LogChunk, LogQuery, MachineHelper, Observation, Observed, Process, ProcessControl, ProcessId,
    Resources, Result, Site, Usage, Workload, WorkloadId,
};
use network::Networks;

/// A Docker engine as a cluster.
#[derive(Debug)]
pub struct DockerRuntime {
    engine: Arc<dyn Engine>,
    site: Arc<dyn Site>,
    networks: Networks,
    /// All containers as last seen.
    seen: Mutex<Arc<Vec<Container>>>,
}

impl DockerRuntime {
    /// A driver for this engine; sends nothing yet.
    #[must_use]
    pub fn new(engine: Arc<dyn Engine>, site: Arc<dyn Site>) -> Self {
        Self { engine, site, networks: Networks::default(), seen: Mutex::default() }
    }

    fn seen(&self) -> Arc<Vec<Container>> {
        // A cache: whatever is wrong in it is looked up again.
        Arc::clone(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All containers.
    async fn list(&self) -> Result<Arc<Vec<Container>>> {
        let answer = self.engine.list().await;
        let list = Arc::new(self.noticed(answer)?);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&list);
        Ok(list)
    }

    /// A workload's container, as it is now.
    async fn container(&self, id: &WorkloadId) -> Result<ContainerRef> {
        find(self.engine.as_ref(), id).await
    }
}

async fn find(engine: &dyn Engine, id: &WorkloadId) -> Result<ContainerRef> {
    engine.find(id.as_str()).await?.ok_or_else(|| Error::NotFound(format!("no container of {id}")))
}

/// Each call is implemented in the file of its topic.
#[async_trait]
impl Runtime for DockerRuntime {
    async fn ping(&self) -> Result<()> {
        let answer = self.engine.ping().await;
        self.noticed(answer)
    }

    async fn node(&self) -> Result<Capabilities> {
        let answer = self.engine.capabilities().await;
        self.noticed(answer)
    }

    async fn observe(&self) -> Result<Observation> {
        Ok(observe::observation(&self.list().await?))
    }

    fn changes(&self) -> BoxStream<'static, Result<()>> {
        self.engine.events().map(|event| event.map(|_| ())).boxed()
    }

    async fn examine(&self, id: &WorkloadId) -> Result<Observed> {
        self.autopsy(&self.container(id).await?).await
    }

    async fn apply(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        self.bring(workload, watch).await
    }

    async fn stop(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        self.engine.stop(&self.container(id).await?, grace).await
    }

    async fn discard(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        self.remove_all_of(id, grace).await
    }

    async fn run(&self, id: &WorkloadId, command: &Command) -> Result<Process> {
        self.start_beside(id, command).await
    }

    fn attach(&self, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        self.take_over(process)
    }

    fn logs(&self, id: &WorkloadId, query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        let (engine, id) = (Arc::clone(&self.engine), id.clone());
        let found = async move { find(engine.as_ref(), &id).await.map(|container| engine.logs(&container, query)) };
        stream::once(found).try_flatten().boxed()
    }

    async fn usage(&self, id: &WorkloadId) -> Result<Usage> {
        // Asked for every few seconds, so by the last list.
        let container = match names::container_of(&self.seen(), id) {
            Some(seen) => seen,
            None => self.container(id).await?,
        };
        self.engine.usage(&container).await
    }

    async fn diagnose(&self, expected: &Expected<'_>) -> Result<Vec<Finding>> {
        let (can, list) = (self.node().await?, self.list().await?);
        let mut findings = engine_findings(&can);
        match machine_findings(&*self.engine, &can, &list, expected).await {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(Finding::unseen("machine", error)),
        }
        findings.extend(self.network_findings(expected, &list).await?);
        Ok(findings)
    }

    async fn tend(&self, care: Care) {
        match care {
            Care::Isolation => self.assert_guard(&self.seen()).await,
            Care::Leftovers => self.sweep_networks().await,
        }
    }

    fn freezing(&self) -> Option<&dyn Freezing> {
        Some(self)
    }

    fn resizing(&self) -> Option<&dyn Resizing> {
        Some(self)
    }

    fn snapshots(&self) -> Option<&dyn Snapshots> {
        Some(self)
    }

    fn builder(&self) -> Option<&dyn ImageBuilder> {
        Some(self)
    }

    fn node_images(&self) -> Option<&dyn NodeImages> {
        Some(self)
    }

    fn processes(&self) -> Option<&dyn ProcessView> {
        Some(self)
    }

    fn node_shell(&self) -> Option<&dyn NodeShell> {
        let node: &dyn NodeShell = &*self.engine;
        Some(node)
    }

    fn machine_helper(&self) -> Option<&dyn MachineHelper> {
        self.engine.machine_helper()
    }
}

#[async_trait]
impl Freezing for DockerRuntime {
    async fn freeze(&self, id: &WorkloadId) -> Result<()> {
        self.engine.pause(&self.container(id).await?).await
    }

    async fn thaw(&self, id: &WorkloadId) -> Result<()> {
        self.engine.resume(&self.container(id).await?).await
    }
}

#[async_trait]
impl Resizing for DockerRuntime {
    async fn resize(&self, id: &WorkloadId, resources: &Resources) -> Result<()> {
        self.engine.update(&self.container(id).await?, resources).await
    }
}

#[async_trait]
impl Snapshots for DockerRuntime {
    async fn size(&self, id: &WorkloadId) -> Result<ContainerSize> {
        self.engine.size(&self.container(id).await?).await
    }

    async fn save(&self, id: &WorkloadId, image: &CommitSpec) -> Result<String> {
        self.engine.commit(&self.container(id).await?, image).await
    }
}

#[async_trait]
impl ProcessView for DockerRuntime {
    async fn programs(&self, id: &WorkloadId) -> Result<ContainerPrograms> {
        crate::probe::container_programs(&*self.engine, self.container(id).await?.as_str()).await
    }
}
