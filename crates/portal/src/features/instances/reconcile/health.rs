//! Faults of cards that no sample shows: rows of memory that wait to be remapped, and what the kernel's log reports.

use std::time::Instant;

use http_kit::ApiResult;

use super::worker::Worker;
use crate::Portal;
use crate::features::gpus;

/// Checks one server's NVIDIA cards. Without an answer their health is unknown.
pub(super) async fn look(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(engine) = worker.nvidia_engine() else { return Ok(()) };
    let remaps = if worker.driver_rests(Instant::now()) {
        Vec::new()
    } else {
        engine::row_remaps(engine.as_ref()).await.unwrap_or_else(|error| {
            tracing::debug!(server.id = worker.server, %error, "rows of cards could not be asked for");
            Vec::new()
        })
    };
    let log = match engine::kernel_xids(engine.as_ref()).await {
        Ok(log) => Some(log),
        Err(error) => {
            tracing::debug!(server.id = worker.server, %error, "the kernel's log could not be read");
            None
        }
    };
    gpus::note_health(portal, &worker.server, &remaps, log.as_ref()).await
}
