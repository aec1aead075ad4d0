//! The workers of the leader: one per server, so that a silent server delays no other.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{compute, health, machine, round, sampling, usage};
use crate::Portal;
use crate::features::instances::duties::{HEALTH, MACHINES, MINERS, NETWORKS, SERVERS, USAGE};
use crate::features::peers::Word;
use crate::features::servers;
use crate::features::watch;

impl Portal {
    /// Wakes the server's worker, here or at the leader.
    pub(crate) fn wake_server(&self, server: &str) {
        self.compute().look_at(server);
        if !self.leads() {
            self.tell_peers(Word::Work { server: server.to_owned() });
        }
    }

    /// Has the list of servers read again, here or by the portal that leads.
    pub(crate) fn servers_changed(&self) {
        self.compute().look_at_all();
        if !self.leads() {
            self.tell_peers(Word::Servers);
        }
    }
}

/// Keeps one worker running for each server, until `place` is cancelled.
pub(crate) async fn look_after_servers(portal: Portal, place: CancellationToken) {
    let mut crew = Crew { place: place.clone(), tasks: TaskTracker::new(), running: HashMap::new() };
    let attendance = portal.duties().attend(&SERVERS, "");
    loop {
        tokio::select! {
            () = place.cancelled() => break,
            () = attendance.run(crew.tend(&portal)) => {}
        }
        tokio::select! {
            () = place.cancelled() => break,
            () = portal.compute().servers_changed.notified() => {}
            () = attendance.pause() => {}
        }
    }
    crew.dismiss(&portal).await;
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
                portal.compute().workers().remove(id);
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
    async fn dismiss(self, portal: &Portal) {
        self.tasks.close();
        self.tasks.wait().await;
        if !portal.is_stopping() {
            for worker in portal.compute().workers().values() {
                worker.cancel_all();
            }
        }
    }
}

/// Looks at one server and measures it, each at its own interval.
async fn look_after(portal: Portal, server: String, stop: CancellationToken) {
    let (duties, worker) = (portal.duties().clone(), portal.compute().of(&server));
    let (portal, worker) = (&portal, &worker);
    tokio::select! {
        () = stop.cancelled() => {},
        () = compute::work(portal, worker) => {},
        () = sampling::watch(portal, worker) => {},
        () = duties.repeat_for(&HEALTH, &server, stop.child_token(), async || Ok(health::look(portal, worker).await?)) => {},
        () = duties.repeat_for(&USAGE, &server, stop.child_token(), async || Ok(usage::sample(portal, worker).await?)) => {},
        () = duties.repeat_for(&MACHINES, &server, stop.child_token(), async || {
            Ok(machine::sample(portal, worker).await?)
        }) => {},
        () = duties.repeat_for(&MINERS, &server, stop.child_token(), async || {
            Ok(look_for_miners(portal, &server).await?)
        }) => {},
        () = duties.repeat_for(&NETWORKS, &server, stop.child_token(), async || {
            Ok(round::remove_leftovers(portal, worker).await?)
        }) => {},
    }
}

pub(super) async fn look_for_miners(portal: &Portal, server: &str) -> http_kit::ApiResult<()> {
    let Some(runtime) = portal.compute().of(server).runtime() else { return Ok(()) };
    watch::look(portal, server, runtime.as_ref()).await
}
