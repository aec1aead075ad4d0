//! Servers as the API shows them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use http_kit::ApiResult;
use kernel::Actor;

use super::model::{Server, ServerManagement, ServerView};
use super::store;
use crate::Portal;
use crate::features::allocations::{self, Accesses};
use crate::features::gpus::{self, Gpu};
use crate::features::instances;
use crate::features::settings::PortRange;

/// The servers that the actor may use, and the actor's access to each.
pub(crate) async fn visible(portal: &Portal, actor: &Actor) -> ApiResult<(Vec<Server>, Accesses)> {
    let accesses = allocations::accesses_of(portal.db(), actor, portal.now()).await?;
    let all = recent(portal).await?;
    let servers = all.iter().filter(|server| accesses.include(&server.id)).cloned().collect();
    Ok((servers, accesses))
}

/// With cards and counts: a few further queries for all of them.
pub(super) async fn shown(
    portal: &Portal,
    actor: &Actor,
    accesses: &Accesses,
    servers: Vec<Server>,
) -> ApiResult<Vec<ServerView>> {
    let db = portal.db();
    let wanted: HashSet<&str> = servers.iter().map(|server| server.id.as_str()).collect();
    let all = portal.recent_cards().get(db, gpus::all(db)).await?;
    let cards = all.iter().filter(|card| wanted.contains(card.server.as_str())).cloned().collect();
    let mut by_server: HashMap<String, Vec<Gpu>> = HashMap::new();
    for card in gpus::shown(portal, actor, accesses, cards).await? {
        by_server.entry(card.server.clone()).or_default().push(card);
    }
    let running = instances::active_by_server(db).await?;
    let view = |server: Server| ServerView {
        state: server.state(),
        cpu_available: server.cpu_for_instances(),
        memory_available: server.memory_for_instances(),
        gpus: by_server.remove(&server.id).unwrap_or_default(),
        running_instances: running.get(&server.id).copied().unwrap_or_default(),
        usage: portal.compute().machine_usage(&server, portal.now()),
        manage: actor.is_admin().then(|| management(portal, &server)),
        id: server.id,
        name: server.name,
        public_host: server.public_host,
        schedulable: server.schedulable,
        maintenance_note: server.maintenance_note,
        drain: server.drain,
        local: server.local,
        facts: server.facts,
        last_seen: server.last_seen,
    };
    Ok(servers.into_iter().map(view).collect())
}

fn management(portal: &Portal, server: &Server) -> ServerManagement {
    ServerManagement {
        endpoint: server.cluster.address.clone(),
        tls: server.cluster.tls.is_some(),
        port_range: PortRange { from: server.port_from, to: server.port_to },
        storage_path: server.storage_path.clone(),
        enabled: server.enabled,
        misdirected: server.cluster.misdirected.clone(),
        reserved_cpu: server.reserved_cpu,
        reserved_memory: server.reserved_memory,
        machine_helper: server.machine_helper,
        external_containers: portal.compute().external(&server.id),
        checks: server.checks.clone(),
        created: server.created,
    }
}

/// All servers, at most a moment old.
pub(crate) async fn recent(portal: &Portal) -> ApiResult<Arc<[Server]>> {
    portal.recent_servers().get(portal.db(), store::all(portal.db())).await
}
