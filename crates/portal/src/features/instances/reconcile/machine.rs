//! Load of the servers' machines, every 15 s, whatever causes it, and the presence of the device nodes of declared
//! cards: read through the portal's own container there.

use engine::{CpuTime, DeviceNode, NodeShell, Room, probe};
use http_kit::ApiResult;

use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::gpus::{self, GpuKind, GpuRow};
use crate::features::servers::{self, DiskRoom, Server, ServerUsage};

/// Measures one server's machine. Without an answer the load is unknown.
pub(super) async fn sample(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(runtime) = worker.runtime() else { return Ok(()) };
    let Some(node) = runtime.node_shell() else { return Ok(()) };
    let server = servers::by_id(portal.db(), &worker.server).await?;
    if !server.enabled || !server.reachable {
        return Ok(());
    }
    look_for_nodes(portal, worker, node).await?;
    let data_root = worker.data_root();
    let found = match probe::machine_use(node, &[&data_root, &server.storage_path]).await {
        Ok(found) => found,
        Err(error) => {
            tracing::debug!(server.id = worker.server, %error, "the machine could not be measured");
            return Ok(());
        }
    };
    let mut rooms = found.rooms.iter().copied();
    let (disk, storage) = (rooms.next().flatten(), rooms.next().flatten());
    worker.note_machine(ServerUsage {
        time: portal.now(),
        cpu: worker.note_cpu_time(found.cpu).and_then(|before| busy(&server, found.cpu, before)),
        memory: whole(found.memory_used),
        disk: disk.map(room),
        storage: storage.filter(|_| !server.storage_path.is_empty()).map(room),
    });
    Ok(())
}

/// Marks a declared card as missing while one of its nodes is, as after a change of drivers: it would fail every
/// instance that got it.
async fn look_for_nodes(portal: &Portal, worker: &Worker, node: &dyn NodeShell) -> ApiResult<()> {
    let mut cards = gpus::of_server(portal.db(), &worker.server).await?;
    cards.retain(|card| card.kind == GpuKind::Device);
    let nodes: Vec<DeviceNode> =
        cards.iter().flat_map(|card| &card.device_nodes).filter_map(|node| node.parse().ok()).collect();
    let gone = match probe::missing_device_nodes(node, &nodes).await {
        Ok(gone) => gone,
        Err(error) => {
            tracing::debug!(server.id = worker.server, %error, "device nodes could not be looked for");
            return Ok(());
        }
    };
    let is_missing = |card: &GpuRow| card.device_nodes.iter().any(|node| gone.iter().any(|gone| gone.as_str() == node));
    let changed: Vec<&GpuRow> = cards.iter().filter(|card| card.missing != is_missing(card)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    for card in changed {
        gpus::note_missing(&tx, &card.id, is_missing(card)).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Of all that the machine has, in microseconds per 100 000 µs.
#[expect(clippy::cast_possible_truncation, reason = "a share of a number that fits")]
fn busy(server: &Server, now: CpuTime, before: CpuTime) -> Option<i64> {
    let total = server.facts.as_ref()?.cpu_total;
    Some((now.share_since(before)? * total as f64).round() as i64)
}

fn room(room: Room) -> DiskRoom {
    DiskRoom { total: whole(room.total), used: whole(room.used) }
}

fn whole(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
