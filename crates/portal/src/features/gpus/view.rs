//! Cards as the API shows them.

use std::collections::HashMap;

use db_kit::{Db, FromQueryResult};
use http_kit::ApiResult;
use kernel::{Actor, UserId};

use super::model::{Gpu, GpuHolder, GpuRow, GpuUser};
use super::{store_leases, store_outages};
use crate::Portal;
use crate::features::allocations::Accesses;
use crate::features::users;
use crate::instance_name::owner_of;

/// An instance that may hold cards: one that is not released.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct Occupant {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The engine's id of its container; empty when it has none.
    pub(crate) engine_id: String,
}

/// With holders, outages and fresh samples: a few further queries for all of them. `open` are all instances that are
/// not released.
pub(crate) async fn shown(
    portal: &Portal,
    actor: &Actor,
    accesses: &Accesses,
    cards: Vec<GpuRow>,
    open: &[Occupant],
) -> ApiResult<Vec<Gpu>> {
    let db: &Db = portal.db();
    let leases = store_leases::open_leases(db, None).await?;
    let holders: Vec<UserId> = cards.iter().filter_map(|card| leases.get(&card.id)).map(|held| held.user).collect();
    let names = users::names_of(db, &holders).await?;
    let by_id: HashMap<&str, &Occupant> = open.iter().map(|one| (one.id.as_str(), one)).collect();
    let by_container: HashMap<&str, &Occupant> = open.iter().map(|one| (one.engine_id.as_str(), one)).collect();
    let is_faulty = cards.iter().any(|card| !card.fault.is_empty());
    let mut outages = if is_faulty { store_outages::open_outages(db).await? } else { HashMap::new() };
    let mut show = |card: GpuRow| {
        let held = leases.get(&card.id);
        let lease = held.map(|held| {
            let instance = by_id.get(held.instance_id.as_str()).map_or_else(String::new, |one| one.name.clone());
            GpuHolder {
                username: owner_of(&instance).unwrap_or_default().to_owned(),
                instance,
                name: names.get(&held.user).cloned().unwrap_or_default(),
                mine: held.user == actor.id,
                since: held.since,
            }
        });
        Gpu {
            outage: outages.remove(&card.id),
            state: card.state(held.is_some()),
            allowed: accesses.cover(&card.server, &card.id),
            lease,
            sample: portal.clusters().sample(&card.server, &card.uuid, portal.now()),
            processes: portal
                .clusters()
                .processes(&card.server, &card.uuid)
                .into_iter()
                .map(|process| {
                    let container = process.container.as_deref().unwrap_or_default();
                    let one = by_container.get(container).filter(|_| !container.is_empty());
                    let instance = one.map_or_else(String::new, |one| one.name.clone());
                    GpuUser {
                        username: owner_of(&instance).unwrap_or_default().to_owned(),
                        instance,
                        pid: process.pid,
                        name: process.name,
                        memory: process.memory.and_then(|bytes| i64::try_from(bytes).ok()),
                    }
                })
                .collect(),
            device_nodes: actor.is_admin().then_some(card.device_nodes),
            id: card.id,
            server: card.server,
            uuid: card.uuid,
            index: card.position,
            kind: card.kind,
            model: card.model,
            memory_total: card.memory_total,
            excluded: card.excluded,
            fault: card.fault,
            external: card.external,
        }
    };
    Ok(cards.into_iter().map(&mut show).collect())
}
