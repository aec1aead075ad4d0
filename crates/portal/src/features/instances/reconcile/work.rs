//! The work of a server's worker: it looks at its engine every 15 s and whenever an event or another portal hints at a
//! change. Beside it, everything that workers do, once and for all servers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http_kit::ApiResult;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{health, idle, keep, machine, round, samples, sampling, usage};
use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::instances::drain;
use crate::features::instances::duties::LOOKS;
use crate::features::servers;

/// Between two signs of life. With a ping's own 3 s a silent server is shown within 20 s.
const PING_EVERY: Duration = Duration::from_secs(5);
/// Every third ping is replaced by a complete list.
const PINGS_A_LIST: u32 = 3;
/// Delay between an engine's event and the look at it. An engine reports a container's end before its own list shows it;
/// events that follow are covered by the same look.
const SETTLED_AFTER: Duration = Duration::from_millis(500);

impl Portal {
    /// Looks at every server once and waits for the work that follows.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reconcile(&self) -> anyhow::Result<()> {
        keep::carry_out(self).await?;
        drain::carry_out(self).await?;
        for server in servers::all(self.db()).await? {
            let worker = self.clusters().of(&server.id);
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

    /// Looks once for unused networks on all servers with a worker; two looks remove them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_networks(&self) -> anyhow::Result<()> {
        for server in servers::all(self.db()).await? {
            round::remove_leftovers(self, &self.clusters().of(&server.id)).await?;
        }
        Ok(())
    }
}

/// Measures all servers with a worker once, writes the samples, and looks for idle instances.
pub(crate) async fn measure(portal: &Portal) -> ApiResult<()> {
    for server in servers::all(portal.db()).await? {
        let worker = portal.clusters().of(&server.id);
        usage::sample(portal, &worker).await?;
        machine::sample(portal, &worker).await?;
        if let Some(runtime) = worker.nvidia_runtime() {
            sampling::sample(portal, &worker, runtime.as_ref(), &mut sampling::SeenCards::default()).await?;
            health::look(portal, &worker).await?;
        }
    }
    samples::keep(portal).await?;
    *portal.sampled().condensed() = None;
    samples::condense(portal).await?;
    idle::look(portal).await
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
