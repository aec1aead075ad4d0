//! Terminals of killed portals: engines let their programs run for ever, so the next leader hangs them up.

use std::time::Duration;

use engine::TerminalId;
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
        let ended = match TerminalId::from_record(&left.terminal) {
            Some(terminal) => hang_up(portal, &left.instance_id, &terminal).await?,
            None => true,
        };
        if ended {
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
async fn hang_up(portal: &Portal, instance: &str, terminal: &TerminalId) -> ApiResult<bool> {
    let engine = match instances::running_container(portal, instance).await {
        Ok((engine, _)) => engine,
        // The program ended with its container.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Conflict) => return Ok(true),
        Err(error) => return Err(error),
    };
    match engine.close_terminal(terminal).await {
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
