//! Removing a server.

use http_kit::ApiResult;

use crate::Portal;
use crate::features::logs::Acting;
use crate::features::notices::Told;
use crate::features::{allocations, instances, servers};

/// Removes a server without instances; with `given_up` one that will not come back, whose instances are released
/// without it.
///
/// # Errors
/// 404 if there is none, 409 if it has instances, or is given up and answered a short time ago.
pub(super) async fn remove(portal: &Portal, by: &Acting, id: &str, given_up: bool) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    let server = servers::by_id(&tx, id).await?;
    let (mut told, mut detail) = (Told::default(), String::new());
    if given_up {
        servers::refuse_alive(&server, by.at)?;
        let released;
        (released, told) = instances::give_up_all(&tx, &server, &by.actor.username, by.at).await?;
        detail = format!("服务器不再恢复，{released} 个实例随之释放");
    }
    let after = servers::remove(portal, &tx, by, &server, detail).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    after.carry_out(portal);
    portal.servers_changed();
    Ok(())
}
