//! Servers as the API shows them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, Order, Page};

use super::model::{Server, ServerManagement, ServerQuery, ServerView};
use super::store;
use crate::Portal;
use crate::features::allocations::{self, Accesses};
use crate::features::gpus::{self, Gpu, Occupant};
use crate::features::settings::PortRange;

/// The servers that the actor may use, and the actor's access to each.
pub(crate) async fn visible(portal: &Portal, actor: &Actor) -> ApiResult<(Vec<Server>, Accesses)> {
    let accesses = allocations::accesses_of(portal.db(), actor, portal.now()).await?;
    let all = recent(portal).await?;
    let servers = all.iter().filter(|server| accesses.include(&server.id)).cloned().collect();
    Ok((servers, accesses))
}

/// A page of the servers that the actor may use, and the actor's access to each.
///
/// # Errors
/// 400 for a query that can't be answered, or if the database fails.
pub(crate) async fn listed(portal: &Portal, actor: &Actor, query: &ServerQuery) -> ApiResult<(Page<Server>, Accesses)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (mut servers, accesses) = visible(portal, actor).await?;
    let words = list.words();
    servers.retain(|server| {
        let found = |words: &String| {
            server.name.to_lowercase().contains(words) || server.public_host.to_lowercase().contains(words)
        };
        query.state.is_none_or(|state| state == server.state()) && words.as_ref().is_none_or(found)
    });
    sort(&mut servers, list.sort.as_deref(), list.order.unwrap_or_default())?;
    Ok((Page::cut(servers, rows), accesses))
}

/// A lab has few enough servers to sort them here. They come by name.
fn sort(servers: &mut [Server], column: Option<&str>, order: Order) -> ApiResult<()> {
    match column {
        None | Some("name") => {}
        Some("created") => servers.sort_by_key(|server| server.created),
        Some("state") => servers.sort_by_key(|server| (!server.enabled, !server.reachable)),
        Some(_) => return Err(ApiError::bad_request("不能按该列排序")),
    }
    if order == Order::Desc {
        servers.reverse();
    }
    Ok(())
}

/// What runs on the servers, as upper storeys know it.
#[derive(Debug)]
pub(crate) struct Load {
    /// Instances that are not released.
    pub(crate) occupants: Vec<Occupant>,
    /// How many instances run or are about to, by server.
    pub(crate) running: HashMap<String, i64>,
}

/// With cards and what runs there: a few further queries for all of them.
pub(crate) async fn shown(
    portal: &Portal,
    actor: &Actor,
    accesses: &Accesses,
    servers: Vec<Server>,
    load: &Load,
) -> ApiResult<Vec<ServerView>> {
    let db = portal.db();
    let wanted: HashSet<&str> = servers.iter().map(|server| server.id.as_str()).collect();
    let all = portal.recent_cards().get(db, gpus::all(db)).await?;
    let cards = all.iter().filter(|card| wanted.contains(card.server.as_str())).cloned().collect();
    let mut by_server: HashMap<String, Vec<Gpu>> = HashMap::new();
    for card in gpus::shown(portal, actor, accesses, cards, &load.occupants).await? {
        by_server.entry(card.server.clone()).or_default().push(card);
    }
    let view = |server: Server| ServerView {
        state: server.state(),
        cpu_available: server.cpu_for_instances(),
        memory_available: server.memory_for_instances(),
        gpus: by_server.remove(&server.id).unwrap_or_default(),
        running_instances: load.running.get(&server.id).copied().unwrap_or_default(),
        usage: portal.clusters().machine_usage(&server, portal.now()),
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
        external_containers: portal.clusters().external(&server.id),
        checks: server.checks.clone(),
        created: server.created,
    }
}

/// All servers, at most a moment old.
pub(crate) async fn recent(portal: &Portal) -> ApiResult<Arc<[Server]>> {
    portal.recent_servers().get(portal.db(), store::all(portal.db())).await
}
