//! Who looks after the servers: one portal of all on the database. It writes down what it sees, and
//! the others show that. When it goes, the next one goes on.

use std::collections::HashMap;
use std::time::Duration;

use db_kit::Lead;
use http_kit::ApiResult;
use kernel::Timestamp;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::compute::{self, PING_EVERY};
use super::worker::Worker;
use super::{idle, keep, machine, round, sampling, usage};
use crate::Portal;
use crate::features::instances::{store_reports, store_samples};
use crate::features::peers::Word;
use crate::features::servers::{self, Server};
use crate::features::usage as usage_report;
use crate::features::{gpus, images, notices, terminals, watch};
use crate::store_samples::FRESH_FOR;

/// How often a portal that does not look after the servers tries to, and asks what is known of them.
const TRIED_EVERY: Duration = Duration::from_secs(2);
const RENEWED_EVERY: Duration = Duration::from_secs(60);
const CONDENSED_EVERY: Duration = Duration::from_secs(60);

impl Portal {
    /// Whether this portal does what only one of several on a database may do.
    #[must_use]
    pub fn looks_after_servers(&self) -> bool {
        self.compute().leads()
    }

    /// Something is to be done on this server.
    pub(crate) fn wake_server(&self, server: &str) {
        self.compute().look_at(server);
        if !self.compute().leads() {
            self.tell_peers(Word::Work { server: server.to_owned() });
        }
    }

    /// Servers were added, changed or removed.
    pub(crate) fn servers_changed(&self) {
        self.compute().look_at_all();
        if !self.compute().leads() {
            self.tell_peers(Word::Servers);
        }
    }
}

/// Looks after the servers while this portal is the one that does, until it stops.
pub(super) async fn supervise(portal: Portal) {
    let stopping = &portal.compute().stopping;
    let mut tick = interval(TRIED_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renewed = portal.now().minus(RENEWED_EVERY);
    loop {
        tokio::select! { () = stopping.cancelled() => return, _ = tick.tick() => {} }
        match portal.lead().await {
            Ok(Some(lead)) => {
                portal.compute().set_leads(true);
                tracing::info!("looks after the servers");
                let lead = look_after(&portal, lead).await;
                portal.compute().set_leads(false);
                // Without an answer the database gives the place away by itself.
                let _ = lead.release().await;
            }
            Ok(None) => {
                if let Err(error) = stand_by(&portal, &mut renewed).await {
                    round::log(&error, "standing by");
                }
            }
            Err(error) => tracing::error!(%error, "who looks after the servers is not known"),
        }
    }
}

/// Learns what the portal knows that looks after the servers, and once a minute says that what
/// this one runs is not left behind.
async fn stand_by(portal: &Portal, renewed: &mut Timestamp) -> ApiResult<()> {
    store_reports::read(portal).await?;
    let now = portal.now();
    if renewed.plus(RENEWED_EVERY) <= now {
        terminals::renew(portal).await?;
        images::renew_jobs(portal).await?;
        *renewed = now;
    }
    Ok(())
}

/// Keeps one worker running for each server, until this portal stops or loses its place.
async fn look_after(portal: &Portal, mut lead: Lead) -> Lead {
    let compute = portal.compute();
    let mut tick = interval(PING_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut crew = Crew { place: compute.stopping.child_token(), tasks: TaskTracker::new(), running: HashMap::new() };
    crew.send_notices(portal);
    // What an earlier process left is made fewer, too.
    let mut condensed = portal.now().minus(FRESH_FOR);
    loop {
        tokio::select! {
            () = compute.stopping.cancelled() => break,
            () = compute.servers_changed.notified() => {},
            _ = tick.tick() => {},
        }
        if let Err(error) = lead.confirm().await {
            tracing::error!(%error, "does not look after the servers any more");
            break;
        }
        if let Err(error) = keep::carry_out(portal).await {
            round::log(&error, "keep times");
        }
        if let Err(error) = write_samples(portal, &mut condensed).await {
            round::log(&error, "samples");
        }
        match servers::all(portal.db()).await {
            Ok(servers) => {
                crew.tend(portal, &servers);
                if let Err(error) = store_reports::write(portal, &servers).await {
                    round::log(&error, "reports");
                }
            }
            Err(error) => round::log(&error, "servers"),
        }
    }
    crew.dismiss(portal).await;
    lead
}

/// Writes down the samples since the last time and, once a minute, makes fewer of them, looks for idle
/// instances in them, for terminals that nobody looks after, and for jobs that nobody runs, and adds up
/// what was used.
pub(super) async fn write_samples(portal: &Portal, condensed: &mut Timestamp) -> ApiResult<()> {
    let taken = std::mem::take(&mut *portal.compute().samples());
    let now = portal.now();
    let due = condensed.plus(CONDENSED_EVERY) <= now;
    if !due && taken.gpus.is_empty() && taken.instances.is_empty() {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    for (series, measured) in [(gpus::SAMPLES, &taken.gpus), (store_samples::SAMPLES, &taken.instances)] {
        series.keep(&tx, measured).await?;
        if due {
            series.condense(&tx, *condensed, now).await?;
        }
    }
    if due {
        gpus::keep_lab_sample(portal, &tx, now).await?;
    }
    tx.commit().await?;
    if due {
        *condensed = now;
        idle::look(portal).await?;
        watch::look_at_cards(portal).await?;
        terminals::sweep(portal).await?;
        images::sweep_jobs(portal).await?;
        usage_report::add_up(portal).await?;
    }
    Ok(())
}

/// The workers of a portal that looks after the servers.
struct Crew {
    /// Ends with the portal's place.
    place: CancellationToken,
    tasks: TaskTracker,
    running: HashMap<String, CancellationToken>,
}

impl Crew {
    /// Beside the servers: whoever takes notices may take long.
    fn send_notices(&self, portal: &Portal) {
        let (portal, token) = (portal.clone(), self.place.child_token());
        self.tasks.spawn(async move {
            tokio::select! { () = token.cancelled() => {}, () = notices::run(&portal) => {} }
        });
    }

    fn tend(&mut self, portal: &Portal, servers: &[Server]) {
        let compute = portal.compute();
        self.running.retain(|id, token| {
            let there = servers.iter().any(|server| server.id == *id);
            if !there {
                token.cancel();
                compute.workers().remove(id);
            }
            there
        });
        for server in servers {
            if !self.running.contains_key(&server.id) {
                let token = self.place.child_token();
                self.running.insert(server.id.clone(), token.clone());
                let (portal, worker) = (portal.clone(), compute.of(&server.id));
                self.tasks.spawn(async move {
                    let (portal, worker) = (&portal, &worker);
                    tokio::select! {
                        () = token.cancelled() => {},
                        () = compute::work(portal, worker) => {},
                        () = sampling::watch(portal, worker) => {},
                        () = every(usage::EVERY, worker, || usage::sample(portal, worker)) => {},
                        () = every(machine::EVERY, worker, || machine::sample(portal, worker)) => {},
                        () = every(watch::EVERY, worker, || look_for_miners(portal, worker)) => {},
                    }
                });
            }
        }
    }

    /// Ends them. What they had begun is gone on with by whoever comes next: each step can be done
    /// twice, and a row that was changed meanwhile is not changed by who remembers it otherwise.
    async fn dismiss(self, portal: &Portal) {
        self.place.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        if !portal.compute().stopping.is_cancelled() {
            for worker in portal.compute().workers().values() {
                worker.cancel_all();
            }
        }
    }
}

/// Measures one server again and again.
async fn every<F>(period: Duration, worker: &Worker, sample: impl Fn() -> F)
where
    F: Future<Output = ApiResult<()>>,
{
    let mut tick = interval(period);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = sample().await {
            round::log(&error, &worker.server);
        }
    }
}

pub(super) async fn look_for_miners(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(engine) = worker.current_engine() else { return Ok(()) };
    watch::look(portal, &worker.server, engine.as_ref()).await
}
