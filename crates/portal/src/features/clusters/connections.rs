//! The connections to the servers' clusters, and what is remembered of each server between two looks at it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{GpuProcess, Runtime};
use http_kit::ApiResult;
use kernel::Timestamp;
use tokio::sync::Notify;

use super::ServerSite;
use super::address::{Runtimes, address_of};
use super::refusal::refused;
use super::worker::{PullProgress, Worker};
use crate::Portal;
use crate::features::gpus::GpuSample;
use crate::features::peers::{Heard, Word};
use crate::features::servers::{self, ExternalContainer, Server, ServerState, ServerUsage};

/// An older sample is not shown as current.
const SAMPLE_IS_FRESH: Duration = Duration::from_secs(30);
/// Machines are measured less often than cards.
const USAGE_IS_FRESH: Duration = Duration::from_secs(90);

/// All workers, one per server.
#[derive(Debug)]
pub(crate) struct Clusters {
    runtimes: Arc<dyn Runtimes>,
    workers: Mutex<HashMap<String, Arc<Worker>>>,
    /// Notified when servers were added, changed or removed.
    servers_changed: Notify,
}

impl Clusters {
    pub(crate) fn new(runtimes: Arc<dyn Runtimes>) -> Self {
        Self { runtimes, workers: Mutex::default(), servers_changed: Notify::new() }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<String, Arc<Worker>>> {
        // Each critical section is one insertion or removal, so a poisoned lock leaves nothing half done.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self, server: &str) -> Option<Arc<Worker>> {
        self.workers().get(server).cloned()
    }

    /// Returns the worker of a server, and makes it first if needed.
    pub(crate) fn of(&self, server: &str) -> Arc<Worker> {
        let mut workers = self.workers();
        Arc::clone(workers.entry(server.to_owned()).or_insert_with(|| Arc::new(Worker::new(server.to_owned()))))
    }

    /// Drops the worker of a server that was removed.
    pub(crate) fn forget(&self, server: &str) {
        self.workers().remove(server);
    }

    /// Cancels the work on all instances of all servers.
    pub(crate) fn cancel_all(&self) {
        for worker in self.workers().values() {
            worker.cancel_all();
        }
    }

    /// Resolves when the list of servers changes.
    pub(crate) async fn next_change_of_servers(&self) {
        self.servers_changed.notified().await;
    }

    /// The connection to a server, if there is one already.
    pub(crate) fn known_runtime(&self, server: &str) -> Option<Arc<dyn Runtime>> {
        self.worker(server)?.runtime()
    }

    /// Wakes the server's worker, if this portal is the leader.
    fn look_at(&self, server: &str) {
        if let Some(worker) = self.worker(server) {
            worker.wake.notify_one();
        }
    }

    /// The same for all servers and the list of them.
    fn look_at_all(&self) {
        self.servers_changed.notify_one();
        for worker in self.workers().values() {
            worker.wake.notify_one();
        }
    }

    /// The card's current load; `None` when unknown.
    pub(crate) fn sample(&self, server: &str, uuid: &str, now: Timestamp) -> Option<GpuSample> {
        self.worker(server)?.sample(uuid).filter(|sample| sample.time >= now.minus(SAMPLE_IS_FRESH))
    }

    /// Processes that compute on a card now.
    pub(crate) fn processes(&self, server: &str, uuid: &str) -> Vec<GpuProcess> {
        self.worker(server).map(|worker| worker.processes(uuid)).unwrap_or_default()
    }

    /// The current load of a server's machine; `None` when unknown.
    pub(crate) fn machine_usage(&self, server: &Server, now: Timestamp) -> Option<ServerUsage> {
        let usage = self.worker(&server.id)?.machine()?;
        (server.state() == ServerState::Online && usage.time >= now.minus(USAGE_IS_FRESH)).then_some(usage)
    }

    /// Bytes that an instance had written to disks when it was last measured.
    pub(crate) fn written(&self, server: &str, instance: &str) -> Option<u64> {
        self.worker(server)?.written(instance)
    }

    /// Containers on a server that are not ours.
    pub(crate) fn external(&self, server: &str) -> Vec<ExternalContainer> {
        self.worker(server).map(|worker| worker.external()).unwrap_or_default()
    }

    /// How far an instance's image has come.
    pub(crate) fn pulled(&self, server: &str, instance: &str) -> Option<PullProgress> {
        self.worker(server)?.pull(instance)
    }

    /// The connection to a server, for calls beside the worker's.
    ///
    /// # Errors
    /// When its address leads to another server's engine, or can't be read.
    pub(crate) fn runtime(&self, portal: &Portal, server: &Server) -> ApiResult<Arc<dyn Runtime>> {
        servers::refuse_misdirected(server)?;
        connect(portal, &self.of(&server.id), server)?.map_err(|error| refused("连接服务器失败", &error))
    }

    /// Opens a connection that is not kept, to an engine that may not be this server's.
    pub(crate) fn unkept(&self, portal: &Portal, server: &Server) -> ApiResult<engine::Result<Arc<dyn Runtime>>> {
        let site = Arc::new(ServerSite::new(portal, &server.id));
        Ok(self.runtimes.connect(&address_of(portal.seal(), &server.cluster)?, site))
    }
}

/// The worker's connection, opened again when the address or the certificates changed.
pub(crate) fn connect(
    portal: &Portal,
    worker: &Worker,
    server: &Server,
) -> ApiResult<engine::Result<Arc<dyn Runtime>>> {
    let made_from = format!("{} {}", server.cluster.address, server.cluster.tls.as_deref().unwrap_or_default());
    if let Some(runtime) = worker.runtime_of(&made_from) {
        return Ok(Ok(runtime));
    }
    let connected = portal.clusters().unkept(portal, server)?;
    if let Ok(runtime) = &connected {
        worker.keep_runtime(made_from, Arc::clone(runtime));
    }
    Ok(connected)
}

/// Looks where another portal says that there is something to do.
pub(crate) fn hear_peers(portal: &Portal, heard: Heard<'_>) {
    match heard {
        Heard::Word(Word::Work { server }) => portal.clusters().look_at(server),
        Heard::Word(Word::Servers) | Heard::Gap => portal.clusters().look_at_all(),
        Heard::Word(_) => {}
    }
}

impl Portal {
    pub(crate) fn clusters(&self) -> &Clusters {
        self.part()
    }

    /// Wakes the server's worker, here or at the leader.
    pub(crate) fn wake_server(&self, server: &str) {
        self.clusters().look_at(server);
        if !self.leads() {
            self.tell_peers(Word::Work { server: server.to_owned() });
        }
    }

    /// Has the list of servers read again, here or by the portal that leads.
    pub(crate) fn servers_changed(&self) {
        self.clusters().look_at_all();
        if !self.leads() {
            self.tell_peers(Word::Servers);
        }
    }
}
