//! Checking a server.

use http_kit::ApiResult;

use crate::Portal;
use crate::features::instances;
use crate::features::logs::Acting;
use crate::features::machine_helper::Caller;
use crate::features::servers::{self, Check};

/// Checks a server and stores the result.
///
/// # Errors
/// When there is no such server, its engine belongs to another server, or the database fails.
pub(crate) async fn checked(portal: &Portal, by: &Acting, id: &str) -> ApiResult<Vec<Check>> {
    let server = servers::by_id(portal.db(), id).await?;
    let caller = Caller::Administrator { actor: &by.actor, address: by.address };
    let checks = instances::check_server(portal, caller, &server).await?;
    let tx = portal.db().begin().await?;
    servers::note_checks(&tx, id, &checks).await?;
    // The check took a while.
    Acting { at: portal.now(), ..by.clone() }.record(&tx, "server.check", server.name, String::new()).await?;
    tx.commit().await?;
    Ok(checks)
}
