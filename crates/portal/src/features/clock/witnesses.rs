//! Asking the other clocks.

use std::sync::Arc;
use std::time::Duration;

use engine::Runtime;
use futures_util::{StreamExt, stream};
use http_kit::ApiResult;
use kernel::Timestamp;
use kernel::guarded_clock::Witness;

use super::model::{ClockWitness, WitnessKind};
use crate::Portal;
use crate::features::servers;

/// A slower answer says nothing about the present time.
const PATIENCE: Duration = Duration::from_secs(3);
/// The number of engines that are asked at the same time.
const AT_ONCE: usize = 8;

/// All clocks that answer, compared with the wall clock.
pub(super) async fn ask(portal: &Portal, wall: Timestamp) -> ApiResult<Vec<ClockWitness>> {
    let mut found = Vec::new();
    found.extend(database(portal, wall).await);
    let servers = servers::all(portal.db()).await?;
    let asked = servers.into_iter().filter(|server| server.enabled).filter_map(|server| {
        let runtime = portal.clusters().known_runtime(&server.id)?;
        Some(server_clock(runtime, server, wall))
    });
    let asked: Vec<_> = asked.collect();
    let answers: Vec<ClockWitness> =
        stream::iter(asked).buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    found.extend(answers);
    Ok(found)
}

/// The witnesses as a hold judges them.
pub(super) fn judged(witnesses: &[ClockWitness]) -> Vec<Witness> {
    witnesses.iter().map(|one| Witness { time: one.time, independent: one.independent }).collect()
}

async fn database(portal: &Portal, wall: Timestamp) -> Option<ClockWitness> {
    let time = tokio::time::timeout(PATIENCE, portal.db().time()).await.ok()?.ok()??;
    Some(witness(WitnessKind::Database, String::new(), time, wall, !portal.db().is_on_this_machine()))
}

async fn server_clock(runtime: Arc<dyn Runtime>, server: servers::Server, wall: Timestamp) -> Option<ClockWitness> {
    let time = tokio::time::timeout(PATIENCE, runtime.node_shell()?.time()).await.ok()?.ok()?;
    let independent = is_elsewhere(&server).await;
    Some(witness(WitnessKind::Engine, server.name, time, wall, independent))
}

/// Whether a server is known to be another machine, with a clock of its own.
async fn is_elsewhere(server: &servers::Server) -> bool {
    let Some(address) = server.address() else { return false };
    match tokio::time::timeout(PATIENCE, tokio::net::lookup_host(address)).await {
        Ok(Ok(found)) => {
            let mut found = found.peekable();
            found.peek().is_some() && found.all(|address| !db_kit::is_own_address(address.ip()))
        }
        _ => false,
    }
}

fn witness(kind: WitnessKind, name: String, time: Timestamp, wall: Timestamp, independent: bool) -> ClockWitness {
    ClockWitness { kind, name, time, ahead_ms: wall.as_millis() - time.as_millis(), independent }
}
