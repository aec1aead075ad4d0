//! Writes down what a complete list of a healthy engine shows, and returns the work that follows.

use std::collections::HashMap;

use engine::{Observation, Phase, WorkloadId};
use http_kit::ApiResult;

use super::next::{Next, Seen, Work, next};
use super::{drive, settle};
use crate::Portal;
use crate::features::allocations;
use crate::features::clusters::{Moment, Worker};
use crate::features::gpus::{self, GpuRow};
use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};
use crate::features::instances::{changes, placing, store};
use crate::features::servers::ExternalContainer;
use crate::features::terminals;

/// Writes down the state of each instance, and returns the work that the list calls for.
pub(super) async fn instances(
    portal: &Portal,
    worker: &Worker,
    seen: &Observation,
    moment: &Moment,
) -> ApiResult<Vec<(Instance, Work)>> {
    let mut ours: HashMap<&str, Seen> = HashMap::new();
    for one in &seen.workloads {
        let seen = ours.entry(one.id.as_str()).or_insert(Seen { active: false, paused: false });
        seen.active |= one.phase.is_active();
        seen.paused |= one.phase == Phase::Frozen;
    }
    let mut work = Vec::new();
    for one in store::open_of_server(portal.db(), &worker.server).await? {
        if !worker.untouched_since(moment, &one.id) {
            if one.desired != Desired::Running {
                worker.cancel(&one.id);
            }
            continue;
        }
        let seen = ours.get(one.id.as_str()).copied();
        match next(&one, seen, portal.now()) {
            Next::Rest => {
                if one.missed > 0 && seen.is_some() {
                    let found = Instance { missed: 0, ..one.clone() };
                    settle::save(portal, &one, found).await?;
                }
            }
            Next::Do(what) => work.push((one, what)),
            Next::Missed => {
                let missed = Instance { missed: one.missed + 1, ..one.clone() };
                settle::save(portal, &one, missed).await?;
            }
            Next::Gone => gone(portal, &one).await?,
            Next::Adopt => adopt(portal, &one).await?,
        }
    }
    Ok(work)
}

async fn gone(portal: &Portal, one: &Instance) -> ApiResult<()> {
    let mut without = one.clone();
    without.engine_id.clear();
    if without.state == State::Error {
        without.missed = 0;
        settle::save(portal, one, without).await?;
        return Ok(());
    }
    if let Some(saved) = settle::stand(portal, one, State::Error, drive::GONE).await? {
        let mut without = saved.clone();
        without.engine_id.clear();
        settle::save(portal, &saved, without).await?;
        // A container recreated from the image has new SSH host keys.
        let tx = portal.db().begin().await?;
        terminals::forget_instance(&tx, &one.id).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Adopts an instance that was started directly at the engine. The page shows what the engine reports. Its cards are
/// leased again; if another instance has them by now, the state's reason says so.
async fn adopt(portal: &Portal, one: &Instance) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    let leases = gpus::open_leases(&tx, Some(&one.server)).await?;
    let known = gpus::of_server(&tx, &one.server).await?;
    let (taken, free): (Vec<&GpuRow>, Vec<&GpuRow>) =
        known.iter().filter(|card| one.gpus.contains(&card.id)).partition(|card| leases.contains_key(&card.id));
    let reason = if taken.is_empty() {
        "在服务器上被直接启动".to_owned()
    } else {
        format!("在服务器上被直接启动，但其 {} 张显卡已分给其他实例，请停止它", taken.len())
    };
    let mut running = one.clone();
    if !running.step(State::Running, reason) {
        return Ok(());
    }
    (running.desired, running.keep_until, running.started) = (Desired::Running, None, Some(now));
    if changes::put(&tx, one, running, "", now).await?.is_some() {
        placing::hold(&tx, &placing::request_of(one), one, &free, now).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Workloads of released instances.
pub(super) async fn left_over(
    portal: &Portal,
    worker: &Worker,
    seen: &Observation,
    moment: &Moment,
) -> ApiResult<Vec<WorkloadId>> {
    let ids: Vec<&str> = seen.workloads.iter().map(|one| one.id.as_str()).collect();
    let released = store::released_of(portal.db(), &worker.server, &ids).await?;
    let mut left: Vec<WorkloadId> = seen.workloads.iter().map(|one| one.id.clone()).collect();
    left.sort_unstable();
    left.dedup();
    left.retain(|id| released.iter().any(|one| one == id.as_str()) && worker.untouched_since(moment, id.as_str()));
    Ok(left)
}

/// What runs there that is not this portal's, and the cards that it uses, which count as taken.
pub(super) async fn external(portal: &Portal, worker: &Worker, seen: &Observation, known: &[String]) -> ApiResult<()> {
    let cards = gpus::of_server(portal.db(), &worker.server).await?;
    let others = seen.workloads.iter().filter(|one| !known.iter().any(|id| id == one.id.as_str()));
    let others = others.map(|one| {
        let held = cards.iter().filter(|card| one.cards.contains(&card.uuid)).collect::<Vec<_>>();
        (&one.object, &one.name, &one.image, one.phase.is_active(), held)
    });
    let foreign = seen.foreign.iter().map(|one| {
        let holds = |card: &&GpuRow| one.cards.holds(&card.uuid, u32::try_from(card.position).ok(), &card.device_nodes);
        (&one.object, &one.name, &one.image, one.active, cards.iter().filter(holds).collect::<Vec<_>>())
    });
    let mut holders: HashMap<&str, &str> = HashMap::new();
    let mut shown = Vec::new();
    for (object, name, image, active, held) in others.chain(foreign) {
        if active {
            holders.extend(held.iter().map(|card| (card.id.as_str(), name.as_str())));
        }
        shown.push(ExternalContainer {
            engine_id: object.clone(),
            name: name.clone(),
            image: image.clone(),
            running: active,
            gpus: held.into_iter().map(|card| card.uuid.clone()).collect(),
        });
    }
    let holder = |card: &GpuRow| holders.get(card.id.as_str()).copied().unwrap_or_default();
    let changed: Vec<&GpuRow> = cards.iter().filter(|card| card.external != holder(card)).collect();
    // Hundreds of servers are looked at all the time, and nearly always nothing changes.
    if !changed.is_empty() {
        let tx = portal.db().begin().await?;
        for card in changed {
            gpus::note_external(&tx, &card.id, holder(card)).await?;
        }
        tx.commit().await?;
    }
    worker.note_external(shown);
    Ok(())
}
