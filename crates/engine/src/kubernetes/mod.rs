//! Kubernetes as a cluster that places workloads itself: cards by Dynamic Resource Allocation, roots that outlive their
//! pods where the cluster can (`trial`), tenants apart by network policies. No operator and no kinds of our own; rights in
//! one namespace are enough, and some reads of the whole cluster show more (`diagnosis`).
//!
//! What a workload is there: an anchor (`anchor`), which is kept until it is discarded, with its volume and its claim of
//! cards (`claim`), and while it runs a pod (`pod`), whose process 1 is the pod helper (`crates/pod-helper`, `tools`). What
//! the cluster shows is followed (`watched`, `seen`), and what is decided is read again.

mod address;
mod anchor;
mod apply;
mod claim;
mod cluster;
mod diagnosis;
mod end;
mod error;
mod layer;
mod logs;
mod names;
mod nodes;
mod observe;
mod pod;
mod policy;
mod process;
mod quantity;
mod resize;
mod seen;
mod settings;
mod tend;
mod tools;
mod trial;
mod usage;
mod wait;
mod watched;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use tokio::sync::OnceCell;

pub use address::KubernetesAddress;
pub use settings::KubernetesSettings;

use crate::runtime::{Care, ClusterNodes, Failure, Layers, ProcessView, Resizing, Runtime, Watch};
use crate::{
    Capabilities, Command, Error, Expected, Finding, LogChunk, LogQuery, Observation, Observed, Process, ProcessControl,
    ProcessId, Result, Site, Usage, Workload, WorkloadId,
};
use cluster::Cluster;

/// Time for a sign of life.
const PING: Duration = Duration::from_secs(3);
/// Time for a call.
const QUICK: Duration = Duration::from_secs(10);

/// A Kubernetes cluster.
#[derive(Debug)]
pub struct KubernetesRuntime {
    link: Arc<Link>,
}

/// The way to a cluster.
struct Link {
    address: KubernetesAddress,
    settings: KubernetesSettings,
    site: Arc<dyn Site>,
    cluster: OnceCell<Arc<Cluster>>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("address", &self.address).field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Link {
    /// The client is made when it is first used.
    async fn cluster(&self) -> Result<Arc<Cluster>> {
        let made = || async {
            let client = self.address.client()?;
            Ok(Arc::new(Cluster::new(client, self.settings.clone(), Arc::clone(&self.site))))
        };
        self.cluster.get_or_try_init(made).await.map(Arc::clone)
    }
}

impl KubernetesRuntime {
    /// A driver for this cluster; sends nothing yet.
    ///
    /// # Errors
    /// When the address can't be read or is not allowed.
    pub fn new(address: KubernetesAddress, settings: KubernetesSettings, site: Arc<dyn Site>) -> Result<Self> {
        if !matches!(address, KubernetesAddress::Own) {
            address.config()?;
        }
        Ok(Self { link: Arc::new(Link { address, settings, site, cluster: OnceCell::new() }) })
    }
}

/// Each call is implemented in the file of its topic.
#[async_trait]
impl Runtime for KubernetesRuntime {
    async fn ping(&self) -> Result<()> {
        self.link.cluster().await?.answers().await
    }

    async fn node(&self) -> Result<Capabilities> {
        self.link.cluster().await?.capabilities().await
    }

    async fn observe(&self) -> Result<Observation> {
        self.link.cluster().await?.observation().await
    }

    fn changes(&self) -> BoxStream<'static, Result<()>> {
        let link = Arc::clone(&self.link);
        let followed = async move {
            let cluster: Arc<Cluster> = link.cluster().await?;
            let changes = cluster.complete().await?.changes();
            let hints = stream::unfold((cluster, changes), async |(cluster, mut changes)| {
                changes.changed().await.ok()?;
                // What broke is a hint, too; that it is still broken is an error.
                Some((Ok(()), (cluster, changes)))
            });
            Ok::<_, Error>(hints)
        };
        stream::once(followed).try_flatten().boxed()
    }

    async fn examine(&self, id: &WorkloadId) -> Result<Observed> {
        self.link.cluster().await?.examination(id).await
    }

    async fn apply(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        let cluster = self.link.cluster().await.map_err(crate::runtime::Stage::Look.failed())?;
        cluster.bring(workload, watch).await
    }

    async fn stop(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        self.link.cluster().await?.stop_workload(id, grace).await
    }

    async fn discard(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        self.link.cluster().await?.remove_all_of(id, grace).await
    }

    async fn run(&self, id: &WorkloadId, command: &Command) -> Result<Process> {
        self.link.start_beside(id, command).await
    }

    fn attach(&self, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        self.link.take_over(process)
    }

    fn logs(&self, id: &WorkloadId, query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        let (link, id) = (Arc::clone(&self.link), id.clone());
        stream::once(async move { logs::log(&link, &id, query).await }).try_flatten().boxed()
    }

    async fn usage(&self, id: &WorkloadId) -> Result<Usage> {
        self.link.cluster().await?.measure(id).await
    }

    async fn diagnose(&self, expected: &Expected<'_>) -> Result<Vec<Finding>> {
        self.link.cluster().await?.findings(expected).await
    }

    async fn tend(&self, care: Care) {
        let tended = async { self.link.cluster().await?.tend(care).await };
        if let Err(error) = tended.await {
            tracing::warn!(%error, "the cluster could not be looked after");
        }
    }

    fn resizing(&self) -> Option<&dyn Resizing> {
        Some(self)
    }

    fn nodes(&self) -> Option<&dyn ClusterNodes> {
        Some(self)
    }

    fn processes(&self) -> Option<&dyn ProcessView> {
        Some(self)
    }

    fn layers(&self) -> Option<&dyn Layers> {
        Some(self)
    }
}
