//! How busy machines are, every 15 s, whatever keeps them busy: asked through the portal's own
//! container there.

use std::time::Duration;

use engine::{CpuTime, Room};
use http_kit::ApiResult;

use super::worker::Worker;
use crate::Portal;
use crate::features::servers::{self, DiskRoom, Server, ServerUsage};

pub(super) const EVERY: Duration = Duration::from_secs(15);

/// Measures one server's machine. Without an answer nobody knows.
pub(super) async fn sample(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(engine) = worker.current_engine() else { return Ok(()) };
    let server = servers::by_id(portal.db(), &worker.server).await?;
    if !server.enabled || !server.reachable {
        return Ok(());
    }
    let data_root = worker.data_root();
    let found = match engine::machine_use(engine.as_ref(), &[&data_root, &server.storage_path]).await {
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
