//! Terminals of killed portals: engines let their programs run for ever, so the next leader hangs them up.

use std::time::Duration;

use engine::ProcessId;
use http_kit::ApiResult;
use kernel::ErrorKind;

use super::store_open;
use crate::Portal;
use crate::features::instances;

/// A portal renews its terminals once a minute; after this long, its terminals are abandoned.
const LEFT_AFTER: Duration = Duration::from_secs(150);

/// Renews this portal's terminals, and hangs up abandoned ones.
pub(crate) async fn sweep(portal: &Portal) -> ApiResult<()> {
    renew(portal).await?;
    let (db, now) = (portal.db(), portal.now());
    for left in store_open::left(db, now.minus(LEFT_AFTER)).await? {
        if hang_up(portal, &left.instance_id, &ProcessId::new(left.terminal)).await? {
            store_open::forget(db, &left.id).await?;
        }
    }
    Ok(())
}

/// Renews this portal's terminals.
pub(crate) async fn renew(portal: &Portal) -> ApiResult<()> {
    store_open::renew(portal.db(), portal.sockets().run(), portal.now()).await?;
    Ok(())
}

/// Whether nothing of it runs any more.
async fn hang_up(portal: &Portal, instance: &str, process: &ProcessId) -> ApiResult<bool> {
    let runtime = match instances::running_workload(portal, instance).await {
        Ok((runtime, _)) => runtime,
        // The program ended with its container.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Conflict) => return Ok(true),
        Err(error) => return Err(error),
    };
    // What its driver can't read names nothing.
    let Ok(program) = runtime.attach(process) else { return Ok(true) };
    match program.hang_up().await {
        Ok(()) => {
            tracing::info!(instance.id = instance, "hung up on a terminal that was left behind");
            Ok(true)
        }
        // The next time, then.
        Err(error) => {
            tracing::debug!(instance.id = instance, %error, "a terminal that was left behind stays");
            Ok(false)
        }
    }
}
