//! Removes networks without containers. A network may have been created just now for an instance that has no container
//! yet, so it is only removed when two looks in a row find no container of any state in it.

use std::collections::HashSet;

use engine::{Error, NetworkName};
use http_kit::ApiResult;

use super::plan;
use crate::Portal;
use crate::features::instances::reconcile::Worker;
use crate::features::servers;

/// Sweeps one server. Without an answer nothing is removed.
pub(in crate::features::instances) async fn sweep(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let server = servers::by_id(portal.db(), &worker.server).await?;
    let Some(engine) = worker.current_engine().filter(|_| server.enabled && server.reachable) else { return Ok(()) };
    // No container is created in a network meanwhile.
    let _turn = worker.networks.write().await;
    let (networks, list) = match (engine.networks().await, engine.list().await) {
        (Ok(networks), Ok(list)) => (networks, list),
        (Err(error), _) | (_, Err(error)) => {
            tracing::debug!(server.id = server.id, %error, "its networks are not known");
            return Ok(());
        }
    };
    let used: HashSet<&str> = list.iter().flat_map(|container| container.networks.iter().map(String::as_str)).collect();
    let is_left = |network: &&engine::Network| {
        let is_ours = network.owner.as_deref().is_some_and(|label| plan::owner_of(label, &server.id).is_some());
        is_ours && !used.contains(network.name.as_str())
    };
    let left: HashSet<String> = networks.iter().filter(is_left).map(|network| network.name.clone()).collect();
    for name in worker.unused_twice(left) {
        let Ok(network) = name.parse::<NetworkName>() else { continue };
        match engine.remove_network(&network).await {
            Ok(()) => tracing::info!(server.id = server.id, %network, "nobody uses it, so it is removed"),
            Err(Error::NotFound(_) | Error::Conflict(_)) => {}
            Err(error) => tracing::warn!(server.id = server.id, %network, %error, "it stays for now"),
        }
    }
    Ok(())
}
