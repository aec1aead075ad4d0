//! The reconciler: one worker per server, each looking at its engine every 15 s and whenever an event or another portal
//! hints at a change.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{GpuProcess, Runtime};
use futures_util::StreamExt;
use http_kit::ApiResult;
use kernel::Timestamp;
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::worker::Worker;
use super::{crew, health, idle, keep, machine, round, samples, sampling, usage};
use crate::Portal;
use crate::features::clusters::{self, Runtimes, ServerSite};
use crate::features::gpus::{self, GpuSample};
use crate::features::instances::duties::LOOKS;
use crate::features::instances::model::PullProgress;
use crate::features::instances::{check, drain};
use crate::features::machine_helper::Caller;
use crate::features::servers::{self, Check, ExternalContainer, Server, ServerState, ServerUsage};
use crate::features::{terminals, usage as usage_report, watch};
use crate::jobs;
use crate::store_samples::Measured;

/// Between two signs of life. With a ping's own 3 s a silent server is shown within 20 s.
pub(super) const PING_EVERY: Duration = Duration::from_secs(5);
/// Every third ping is replaced by a complete list.
const PINGS_A_LIST: u32 = 3;
/// Delay between an engine's event and the look at it. An engine reports a container's end before its own list shows it;
/// events that follow are covered by the same look.
const SETTLED_AFTER: Duration = Duration::from_millis(500);
/// An older sample is not shown as current.
const SAMPLE_IS_FRESH: Duration = Duration::from_secs(30);
/// Machines are measured less often than cards.
const USAGE_IS_FRESH: Duration = Duration::from_secs(90);

/// All workers.
#[derive(Debug)]
pub(crate) struct Compute {
    runtimes: Arc<dyn Runtimes>,
    workers: Mutex<HashMap<String, Arc<Worker>>>,
    pub(super) servers_changed: Notify,
    samples: Mutex<Samples>,
    /// Time up to which samples were condensed; `None` since the leadership changed.
    condensed: Mutex<Option<Timestamp>>,
}

/// Samples of all servers that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub(super) gpus: Vec<Measured>,
    pub(super) instances: Vec<Measured>,
}

impl Samples {
    /// Drops measurements of cards that are not among these.
    pub(super) fn forget_cards_except(&mut self, known: &HashSet<String>) {
        self.gpus.retain(|measured| known.contains(&measured.owner));
    }

    /// Puts samples that could not be written back in front of newer ones.
    pub(super) fn put_back(&mut self, older: Self, most: usize) {
        for (now, older) in [(&mut self.gpus, older.gpus), (&mut self.instances, older.instances)] {
            now.splice(0..0, older);
            now.drain(..now.len().saturating_sub(most));
        }
    }
}

impl Compute {
    pub(crate) fn new(runtimes: Arc<dyn Runtimes>) -> Self {
        Self {
            runtimes,
            workers: Mutex::default(),
            servers_changed: Notify::new(),
            samples: Mutex::default(),
            condensed: Mutex::default(),
        }
    }

    pub(super) fn workers(&self) -> MutexGuard<'_, HashMap<String, Arc<Worker>>> {
        // Each critical section is one insertion or removal, so a poisoned lock leaves nothing half done.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self, server: &str) -> Option<Arc<Worker>> {
        self.workers().get(server).cloned()
    }

    /// Another leader may have condensed samples meanwhile.
    pub(crate) fn begin_to_lead(&self) {
        *self.condensed() = None;
    }

    pub(super) fn condensed(&self) -> MutexGuard<'_, Option<Timestamp>> {
        // A single value: a poisoned lock leaves nothing half done.
        self.condensed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to a server, if there is one already.
    pub(crate) fn known_runtime(&self, server: &str) -> Option<Arc<dyn Runtime>> {
        self.worker(server)?.runtime()
    }

    /// Wakes the server's worker, if this portal is the leader.
    pub(crate) fn look_at(&self, server: &str) {
        if let Some(worker) = self.worker(server) {
            worker.wake.notify_one();
        }
    }

    /// The same for all servers and the list of them.
    pub(crate) fn look_at_all(&self) {
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

    /// Queues samples of cards to be written.
    pub(super) fn keep_gpu_samples(&self, samples: impl Iterator<Item = Measured>) {
        self.samples().gpus.extend(samples);
    }

    /// Queues samples of instances to be written.
    pub(super) fn keep_instance_samples(&self, samples: impl Iterator<Item = Measured>) {
        self.samples().instances.extend(samples);
    }

    pub(super) fn samples(&self) -> MutexGuard<'_, Samples> {
        // At worst a few samples are missing.
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Containers on a server that are not ours.
    pub(crate) fn external(&self, server: &str) -> Vec<ExternalContainer> {
        self.worker(server).map(|worker| worker.external()).unwrap_or_default()
    }

    /// How far an instance's image has come.
    pub(crate) fn pulled(&self, server: &str, instance: &str) -> Option<PullProgress> {
        self.worker(server)?.pull(instance)
    }

    /// Runs the checks of a server.
    pub(crate) async fn check(&self, portal: &Portal, caller: Caller<'_>, server: &Server) -> ApiResult<Vec<Check>> {
        check::run(portal, &self.of(&server.id), caller, server).await
    }

    /// The connection to a server, for calls beside the worker's.
    ///
    /// # Errors
    /// When its address leads to another server's engine, or can't be read.
    pub(crate) fn runtime(&self, portal: &Portal, server: &Server) -> ApiResult<Arc<dyn Runtime>> {
        servers::refuse_misdirected(server)?;
        round::connect(portal, &self.of(&server.id), server)?
            .map_err(|error| clusters::refused("连接服务器失败", &error))
    }

    /// Opens a connection that is not kept, to an engine that may not be this server's.
    pub(crate) fn unkept(&self, portal: &Portal, server: &Server) -> ApiResult<engine::Result<Arc<dyn Runtime>>> {
        let site = Arc::new(ServerSite::new(portal, &server.id));
        Ok(self.runtimes.connect(&clusters::address_of(portal.seal(), &server.cluster)?, site))
    }

    /// Returns the worker of a server, and makes it first if needed.
    pub(crate) fn of(&self, server: &str) -> Arc<Worker> {
        let mut workers = self.workers();
        Arc::clone(workers.entry(server.to_owned()).or_insert_with(|| Arc::new(Worker::new(server.to_owned()))))
    }
}

impl Portal {
    /// Looks at every server once and waits for the work that follows.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reconcile(&self) -> anyhow::Result<()> {
        keep::carry_out(self).await?;
        drain::carry_out(self).await?;
        for server in servers::all(self.db()).await? {
            let worker = self.compute().of(&server.id);
            round::look(self, &worker, true).await?;
            worker.drivers.close();
            worker.drivers.wait().await;
            worker.drivers.reopen();
        }
        Ok(())
    }

    /// Notifies the owners of instances that end soon, and ends those that are due, as the leader does every few seconds.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_times(&self) -> anyhow::Result<()> {
        Ok(keep::carry_out(self).await?)
    }

    /// Looks once for miners on all servers with a worker.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_for_miners(&self) -> anyhow::Result<()> {
        for server in servers::all(self.db()).await? {
            crew::look_for_miners(self, &server.id).await?;
        }
        Ok(())
    }

    /// Looks once for unused networks on all servers with a worker; two looks remove them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_networks(&self) -> anyhow::Result<()> {
        for server in servers::all(self.db()).await? {
            round::remove_leftovers(self, &self.compute().of(&server.id)).await?;
        }
        Ok(())
    }

    /// Measures all servers with a worker once, and writes the samples.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn measure(&self) -> anyhow::Result<()> {
        for server in servers::all(self.db()).await? {
            let worker = self.compute().of(&server.id);
            usage::sample(self, &worker).await?;
            machine::sample(self, &worker).await?;
            if let Some(runtime) = worker.nvidia_runtime() {
                sampling::sample(self, &worker, runtime.as_ref(), &mut sampling::SeenCards::default()).await?;
                health::look(self, &worker).await?;
            }
        }
        samples::keep(self).await?;
        *self.compute().condensed() = None;
        samples::condense(self).await?;
        gpus::keep_lab_sample(self).await?;
        idle::look(self).await?;
        watch::look_at_cards(self).await?;
        terminals::sweep(self).await?;
        jobs::sweep_orphans(self).await?;
        usage_report::add_up(self).await?;
        Ok(())
    }
}

/// Looks at one server periodically and on hints.
pub(super) async fn work(portal: &Portal, worker: &Arc<Worker>) {
    let mut tick = interval(PING_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut pings = 0;
    let mut changes = None;
    let attendance = portal.duties().attend(&LOOKS, &worker.server);
    loop {
        let woken = tokio::select! {
            () = worker.wake.notified() => true,
            () = attendance.activated() => true,
            () = something_happened(&mut changes) => {
                // A look that our own drivers asked for is not delayed.
                let _ = timeout(SETTLED_AFTER, worker.wake.notified()).await;
                true
            }
            _ = tick.tick() => false,
        };
        let list = woken || pings % PINGS_A_LIST == 0;
        pings = if woken { 1 } else { pings + 1 };
        let look = async {
            let looked =
                if list { round::look(portal, worker, !woken).await } else { round::ping(portal, worker).await };
            Ok(looked?)
        };
        attendance.run(Box::pin(look)).await;
        if changes.is_none() {
            changes = worker.runtime().map(|runtime| runtime.changes());
        }
    }
}

type Changes = futures_util::stream::BoxStream<'static, engine::Result<()>>;

/// Waits for the next hint to look. A stream that ended is reopened after the next
/// look.
async fn something_happened(changes: &mut Option<Changes>) {
    loop {
        let Some(stream) = changes else { return std::future::pending().await };
        match stream.next().await {
            Some(Ok(())) => return,
            Some(Err(_)) | None => *changes = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(owners: &[&str]) -> Vec<Measured> {
        let of =
            |owner: &&str| Measured { owner: (*owner).to_owned(), time: Timestamp::from_millis(0), values: vec![] };
        owners.iter().map(of).collect()
    }

    fn owners(measured: &[Measured]) -> Vec<&str> {
        measured.iter().map(|one| one.owner.as_str()).collect()
    }

    #[test]
    fn what_could_not_be_written_waits_before_what_came_since_up_to_a_bound() {
        let mut samples = Samples { gpus: of(&["c", "d"]), instances: of(&["x"]) };
        samples.put_back(Samples { gpus: of(&["a", "b"]), instances: vec![] }, 3);
        assert_eq!((owners(&samples.gpus), owners(&samples.instances)), (vec!["b", "c", "d"], vec!["x"]));
    }

    #[test]
    fn a_removed_card_holds_up_no_other() {
        let mut samples = Samples { gpus: of(&["a", "gone", "b"]), instances: of(&["x"]) };
        samples.forget_cards_except(&["a".to_owned(), "b".to_owned()].into());
        assert_eq!((owners(&samples.gpus), owners(&samples.instances)), (vec!["a", "b"], vec!["x"]));
    }
}
