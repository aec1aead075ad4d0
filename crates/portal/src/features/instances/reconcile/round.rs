//! One look at a server: takes a complete list, writes down what it shows, and begins the work that follows.

use std::sync::Arc;
use std::time::Duration;

use engine::{Capabilities, Care, CgroupVersion, Observation, Runtime, WorkloadId};
use http_kit::{ApiError, ApiResult};
use kernel::units::CPU_PERIOD;

use super::drive::{self, Drive};
use super::next::Work;
use super::{observe, revive};
use crate::Portal;
use crate::features::clusters::{Worker, connect};
use crate::features::instances::model::Instance;
use crate::features::instances::store;
use crate::features::servers::{self, Server, ServerFacts};

/// Writing down each answer of each server would keep the disk busy for nothing.
const SEEN_NOTED_EVERY: Duration = Duration::from_secs(60);

/// Looks once. An engine that does not answer is a finding, not an error. The engine's facts and capabilities are
/// queried when `afresh`, and otherwise, for a look on a hint, reused: engines start programs to answer them.
pub(super) async fn look(portal: &Portal, worker: &Arc<Worker>, afresh: bool) -> ApiResult<()> {
    let server = servers::by_id(portal.db(), &worker.server).await?;
    if !server.enabled {
        return Ok(());
    }
    let moment = worker.moment();
    let (runtime, capabilities, seen) = match ask(portal, worker, &server, afresh).await? {
        Ok(answer) => answer,
        Err(error) => return silent(portal, &server, &error).await,
    };
    if servers::claim(portal, &server, &capabilities).await?.is_some() {
        // The engine is another server's, and so is the work in progress.
        worker.cancel_all();
        worker.let_go();
        return Ok(());
    }
    answered(portal, worker, &server, &capabilities, &seen).await?;
    let work = observe::instances(portal, worker, &seen, &moment).await?;
    if !work.iter().any(|(_, what)| *what == Work::Autopsy) {
        revive::tell_of_restart(portal, &server).await?;
    }
    for (one, what) in work {
        begin(portal, worker, &runtime, one, what);
    }
    for left in observe::left_over(portal, worker, &seen, &moment).await? {
        clear_away(worker, &runtime, left);
    }
    // In the background: that takes the machine a while.
    worker.drivers.spawn(async move { runtime.tend(Care::Isolation).await });
    Ok(())
}

/// Whether the engine still answers, without a list.
pub(super) async fn ping(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let server = servers::by_id(portal.db(), &worker.server).await?;
    if !server.enabled {
        return Ok(());
    }
    if !server.cluster.misdirected.is_empty() {
        // Only a complete look shows whose engine answers.
        return Ok(());
    }
    let pong = match connect(portal, worker, &server)? {
        Ok(runtime) => runtime.ping().await,
        Err(error) => Err(error),
    };
    match pong {
        // The next complete list marks it as reachable.
        Ok(()) if !server.reachable => worker.wake.notify_one(),
        Ok(()) => {}
        Err(error) => silent(portal, &server, &error).await?,
    }
    Ok(())
}

/// Removes what nothing on a server uses any more. Without an answer nothing is removed.
pub(super) async fn remove_leftovers(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let server = servers::by_id(portal.db(), &worker.server).await?;
    if let Some(runtime) = worker.runtime().filter(|_| server.enabled && server.reachable) {
        runtime.tend(Care::Leftovers).await;
    }
    Ok(())
}

type Answer = (Arc<dyn Runtime>, Capabilities, Observation);

pub(crate) async fn ask(
    portal: &Portal,
    worker: &Worker,
    server: &Server,
    afresh: bool,
) -> ApiResult<engine::Result<Answer>> {
    let runtime = match connect(portal, worker, server)? {
        Ok(runtime) => runtime,
        Err(error) => return Ok(Err(error)),
    };
    let known = worker.capabilities().filter(|_| !afresh && server.reachable);
    let capabilities = match known {
        Some(known) => known,
        None => match runtime.node().await {
            Ok(capabilities) => capabilities,
            Err(error) => return Ok(Err(error)),
        },
    };
    Ok(runtime.observe().await.map(|seen| (runtime, capabilities, seen)))
}

/// Sets the flag only: instances may still run there, and everything stays reserved.
async fn silent(portal: &Portal, server: &Server, error: &engine::Error) -> ApiResult<()> {
    if server.reachable || !server.cluster.misdirected.is_empty() {
        tracing::warn!(server.id = server.id, server.name = server.name, %error, "server does not answer");
        servers::note_silence(portal.db(), server).await?;
    }
    Ok(())
}

async fn answered(
    portal: &Portal,
    worker: &Worker,
    server: &Server,
    capabilities: &Capabilities,
    seen: &Observation,
) -> ApiResult<()> {
    if !server.reachable {
        tracing::info!(server.id = server.id, server.name = server.name, "server answers");
    }
    worker.note_capabilities(capabilities);
    let facts = facts(capabilities, server.facts.as_ref());
    let now = portal.now();
    let noted = server.last_seen.is_some_and(|seen| seen.plus(SEEN_NOTED_EVERY) > now);
    if !noted || !server.reachable || server.facts.as_ref() != Some(&facts) {
        let tx = portal.db().begin().await?;
        servers::note_answer(&tx, server, &facts, now).await?;
        tx.commit().await?;
    }
    let known = store::ids_of_server(portal.db(), &server.id).await?;
    observe::external(portal, worker, seen, &known).await
}

/// The driver's version comes from the probe and is kept.
fn facts(capabilities: &Capabilities, old: Option<&ServerFacts>) -> ServerFacts {
    let driver = old.map(|old| (old.driver_version.clone(), old.cuda_version.clone())).unwrap_or_default();
    ServerFacts {
        engine_version: capabilities.engine_version.clone(),
        api_version: capabilities.api_version.clone(),
        os: capabilities.operating_system.clone(),
        kernel: capabilities.kernel.clone(),
        architecture: capabilities.architecture.clone(),
        cpu_total: i64::from(capabilities.cpus) * CPU_PERIOD,
        memory_total: i64::try_from(capabilities.memory).unwrap_or(i64::MAX),
        storage_driver: capabilities.storage_driver.clone(),
        cgroup_version: match capabilities.cgroup_version {
            CgroupVersion::V1 => "1".to_owned(),
            CgroupVersion::V2 => "2".to_owned(),
        },
        driver_version: driver.0,
        cuda_version: driver.1,
        certificate_end: capabilities.certificate_end,
    }
}

/// Begins work on an instance, unless some is going on.
fn begin(portal: &Portal, worker: &Arc<Worker>, runtime: &Arc<dyn Runtime>, one: Instance, work: Work) {
    let Some(cancelled) = worker.begin(&one.id) else { return };
    let (portal, worker_of, runtime) = (portal.clone(), Arc::clone(worker), Arc::clone(runtime));
    worker.drivers.spawn(async move {
        let mut ending = Ending { worker: &worker_of, instance: &one.id, look: false };
        let drive = Drive { portal: &portal, worker: &worker_of, runtime, cancelled };
        match drive.run(&one, work).await {
            Ok(()) => ending.look = true,
            Err(error) => log(&error, &one.id),
        }
    });
}

/// Removes what an instance that was released left: an earlier process was killed after it had asked for it to be made,
/// and the release found nothing yet.
fn clear_away(worker: &Arc<Worker>, runtime: &Arc<dyn Runtime>, left: WorkloadId) {
    if worker.begin(left.as_str()).is_none() {
        return;
    }
    let (worker_of, runtime) = (Arc::clone(worker), Arc::clone(runtime));
    worker.drivers.spawn(async move {
        let _ending = Ending { worker: &worker_of, instance: left.as_str(), look: false };
        tracing::warn!(instance.id = %left, "removing what a released instance left");
        if let Err(error) = runtime.discard(&left, drive::RELEASE_GRACE).await {
            tracing::warn!(instance.id = %left, %error, "it stays for now");
        }
    });
}

/// Ends the work when it is dropped, also after a panic.
struct Ending<'a> {
    worker: &'a Worker,
    instance: &'a str,
    /// The outcome may call for more work.
    look: bool,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.worker.end(self.instance);
        if self.look {
            self.worker.wake.notify_one();
        }
    }
}

pub(super) fn log(error: &ApiError, what: &str) {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    tracing::error!(what, %error, cause, "compute");
}
