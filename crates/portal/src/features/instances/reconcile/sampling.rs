//! Load of NVIDIA cards, every 5 s, as the driver reports it through the portal's own container on that machine. Never
//! through a user's container, whose `nvidia-smi` may be any program.

use std::collections::HashMap;
use std::time::Instant;

use engine::{DriverRefusal, GpuReading, GpuReport, Runtime, probe};
use http_kit::ApiResult;
use kernel::Timestamp;

use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::gpus::{self, GpuSample, SeenCard};
use crate::features::instances::duties::CARDS;
use crate::features::servers;

/// The cards that a machine was seen to have, and the PCI addresses of those that could not be queried.
pub(super) type SeenCards = (Vec<SeenCard>, Vec<String>);

/// Samples one server's cards periodically.
pub(super) async fn watch(portal: &Portal, worker: &Worker) {
    let attendance = portal.duties().attend(&CARDS, &worker.server);
    let mut seen = SeenCards::default();
    loop {
        if let Some(runtime) = worker.nvidia_runtime().filter(|_| !worker.driver_rests(Instant::now())) {
            attendance.run(async { Ok(sample(portal, worker, runtime.as_ref(), &mut seen).await?) }).await;
        }
        attendance.pause().await;
    }
}

/// Samples them once. `seen` are the cards of the time before.
pub(super) async fn sample(
    portal: &Portal,
    worker: &Worker,
    runtime: &dyn Runtime,
    seen: &mut SeenCards,
) -> ApiResult<()> {
    let Some(node) = runtime.node_shell() else { return Ok(()) };
    let report = match probe::gpu_report(node).await {
        Ok(Some(report)) => report,
        // Without a driver there is nothing to report; without an answer the load is unknown.
        Ok(None) => return Ok(()),
        Err(error) => {
            tracing::debug!(server.id = worker.server, %error, "cards could not be asked");
            return Ok(());
        }
    };
    worker.note_driver(report.refusal == Some(DriverRefusal::Hangs), Instant::now());
    if report.refusal.is_none() {
        note(portal, worker, &report, seen).await?;
    }
    let known = gpus::of_server(portal.db(), &worker.server).await?;
    let found = worker.count_failures(|streaks| gpus::of_report(&known, &report, streaks));
    gpus::note_faults(portal, &worker.server, found).await?;
    if report.refusal.is_some() {
        return Ok(());
    }
    let now = portal.now();
    let samples: HashMap<String, GpuSample> =
        report.gpus.iter().map(|reading| (reading.uuid.clone(), of(reading, now))).collect();
    let kept = known.iter().filter_map(|card| Some(samples.get(&card.uuid)?.measured(&card.id)));
    portal.sampled().keep_gpus(kept);
    let GpuReport { processes, .. } = report;
    worker.note_samples(samples, processes);
    Ok(())
}

/// Writes down which cards there are and which driver, where that changed.
async fn note(portal: &Portal, worker: &Worker, report: &GpuReport, seen: &mut SeenCards) -> ApiResult<()> {
    let cards: Vec<SeenCard> = report.gpus.iter().map(card).collect();
    let failing: Vec<String> = report.failed.iter().map(|failed| failed.pci.clone()).collect();
    let now_seen = (cards, failing);
    if now_seen != *seen {
        let (cards, failing) = &now_seen;
        let tx = portal.db().begin().await?;
        gpus::note_cards(&tx, &worker.server, cards, failing, portal.now()).await?;
        servers::note_driver(&tx, &worker.server, &report.driver, report.cuda.as_deref().unwrap_or_default()).await?;
        tx.commit().await?;
        *seen = now_seen;
    }
    Ok(())
}

fn card(reading: &GpuReading) -> SeenCard {
    SeenCard {
        uuid: reading.uuid.clone(),
        position: i64::from(reading.index),
        model: reading.model.clone(),
        memory_total: i64::try_from(reading.memory_total).unwrap_or(i64::MAX),
        pci: gpus::place_of(reading),
    }
}

fn of(reading: &GpuReading, time: Timestamp) -> GpuSample {
    GpuSample {
        time,
        utilization: reading.utilization.map(i64::from),
        memory_used: reading.memory_used.and_then(|bytes| i64::try_from(bytes).ok()),
        temperature: reading.temperature.map(i64::from),
        power: reading.power.map(whole_watts),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a float that is too large becomes the largest number")]
fn whole_watts(watts: f32) -> i64 {
    watts.round() as i64
}
