//! What a server's driver finds, asked with what the portal expects.

use std::collections::HashMap;

use engine::{DeviceNode, Expected, Finding, Observation, Runtime, Tenant, WorkloadId};
use http_kit::{ApiError, ApiResult};

use super::storage::Mark;
use crate::Portal;
use crate::features::clusters::AskedBy;
use crate::features::gpus::{self, GpuKind};
use crate::features::instances::store;
use crate::features::machine_helper::Caller;
use crate::features::servers::Server;

pub(super) async fn findings(
    portal: &Portal,
    caller: Caller<'_>,
    server: &Server,
    runtime: &dyn Runtime,
    seen: &Observation,
) -> ApiResult<engine::Result<Vec<Finding>>> {
    let cards = gpus::of_server(portal.db(), &server.id).await?;
    let declared = cards.iter().filter(|card| card.kind == GpuKind::Device).flat_map(|card| &card.device_nodes);
    let nodes: Result<Vec<DeviceNode>, _> = declared.map(|path| path.parse()).collect();
    let tenants = tenants(portal, seen).await?;
    let storage = Some(server.storage_path.as_str()).filter(|path| !path.is_empty());
    let mark = match Mark::write(portal.disk_root().filter(|_| storage.is_some())).await {
        Ok(mark) => mark,
        Err(error) => return Ok(Err(error)),
    };
    let port = |number: i64| u16::try_from(number).unwrap_or(u16::MAX);
    let expected = Expected {
        storage,
        proof: mark.as_ref().map(Mark::proof),
        ports: (port(server.port_from), port(server.port_to)),
        nodes: nodes.map_err(ApiError::internal)?,
        nvidia: cards.iter().any(|card| card.kind == GpuKind::Nvidia),
        tenants: &tenants,
        machine: &AskedBy { portal, server, caller },
    };
    let found = runtime.diagnose(&expected).await;
    if let Some(mark) = mark {
        mark.remove().await;
    }
    Ok(found)
}

/// Whose the workloads there are.
async fn tenants(portal: &Portal, seen: &Observation) -> ApiResult<HashMap<WorkloadId, Tenant>> {
    let ids: Vec<&str> = seen.workloads.iter().map(|one| one.id.as_str()).collect();
    let owners = store::owners_of(portal.db(), &ids).await?;
    Ok(owners
        .into_iter()
        .filter_map(|one| Some((one.id.parse().ok()?, one.user_id.to_string().parse().ok()?)))
        .collect())
}
