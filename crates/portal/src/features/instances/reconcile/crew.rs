//! The workers of the leader: one per server, so that a silent server delays no other.

use std::collections::HashMap;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::work::work;
use super::{health, machine, round, sampling, usage};
use crate::Portal;
use crate::features::instances::duties::{HEALTH, MACHINES, NETWORKS, SERVERS, USAGE};
use crate::features::servers;

/// Keeps one worker running for each server, until `place` is cancelled: because this portal does not lead any more, or
/// because it is `stopping`.
pub(crate) async fn look_after_servers(portal: Portal, place: CancellationToken, stopping: CancellationToken) {
    let mut crew = Crew { place: place.clone(), tasks: TaskTracker::new(), running: HashMap::new() };
    let attendance = portal.duties().attend(&SERVERS, "");
    loop {
        tokio::select! {
            () = place.cancelled() => break,
            () = attendance.run(crew.tend(&portal)) => {}
        }
        tokio::select! {
            () = place.cancelled() => break,
            () = portal.clusters().next_change_of_servers() => {}
            () = attendance.pause() => {}
        }
    }
    crew.dismiss(&portal, &stopping).await;
}

struct Crew {
    /// Ends with the leadership.
    place: CancellationToken,
    tasks: TaskTracker,
    running: HashMap<String, CancellationToken>,
}

impl Crew {
    async fn tend(&mut self, portal: &Portal) -> anyhow::Result<()> {
        let servers = servers::all(portal.db()).await?;
        self.running.retain(|id, token| {
            let there = servers.iter().any(|server| server.id == *id);
            if !there {
                token.cancel();
                portal.clusters().forget(id);
            }
            there
        });
        for server in &servers {
            if !self.running.contains_key(&server.id) {
                let token = self.place.child_token();
                self.running.insert(server.id.clone(), token.clone());
                self.tasks.spawn(look_after(portal.clone(), server.id.clone(), token));
            }
        }
        Ok(())
    }

    /// Stops the workers. Each step is idempotent and stale writes are rejected, so the next leader can resume their
    /// work.
    async fn dismiss(self, portal: &Portal, stopping: &CancellationToken) {
        self.tasks.close();
        self.tasks.wait().await;
        if !stopping.is_cancelled() {
            portal.clusters().cancel_all();
        }
    }
}

/// Looks at one server and measures it, each at its own interval.
async fn look_after(portal: Portal, server: String, stop: CancellationToken) {
    let (duties, worker) = (portal.duties().clone(), portal.clusters().of(&server));
    let (portal, worker) = (&portal, &worker);
    let repeated = portal.duty_list().of_servers().map(|one| {
        let run = || (one.run)(portal, &server);
        duties.repeat_for(&one.duty, &server, stop.child_token(), run)
    });
    let mut of_features: FuturesUnordered<_> = repeated.collect();
    tokio::select! {
        () = stop.cancelled() => {},
        () = work(portal, worker) => {},
        () = sampling::watch(portal, worker) => {},
        () = duties.repeat_for(&HEALTH, &server, stop.child_token(), async || Ok(health::look(portal, worker).await?)) => {},
        () = duties.repeat_for(&USAGE, &server, stop.child_token(), async || Ok(usage::sample(portal, worker).await?)) => {},
        () = duties.repeat_for(&MACHINES, &server, stop.child_token(), async || {
            Ok(machine::sample(portal, worker).await?)
        }) => {},
        () = duties.repeat_for(&NETWORKS, &server, stop.child_token(), async || {
            Ok(round::remove_leftovers(portal, worker).await?)
        }) => {},
        // Without any, the others go on.
        Some(()) = of_features.next() => {},
    }
}
