//! Faults of cards that no sample shows: rows of memory that wait to be remapped, and what the kernel's log reports.

use std::time::Instant;

use engine::probe;
use http_kit::ApiResult;

use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::gpus;

/// Checks one server's NVIDIA cards. Without an answer their health is unknown.
pub(super) async fn look(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(runtime) = worker.nvidia_runtime() else { return Ok(()) };
    let Some(node) = runtime.node_shell() else { return Ok(()) };
    let remaps = if worker.driver_rests(Instant::now()) {
        Vec::new()
    } else {
        probe::row_remaps(node).await.unwrap_or_else(|error| {
            tracing::debug!(server.id = worker.server, %error, "rows of cards could not be asked for");
            Vec::new()
        })
    };
    let log = match probe::kernel_xids(node).await {
        Ok(log) => Some(log),
        Err(error) => {
            tracing::debug!(server.id = worker.server, %error, "the kernel's log could not be read");
            None
        }
    };
    gpus::note_health(portal, &worker.server, &remaps, log.as_ref()).await
}
