//! Writes the outcome of work on an instance. Reservations and ports are given back in the same transaction, and only
//! here.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::keep;
use crate::Portal;
use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};
use crate::features::instances::{changes, restarts, store_ports};
use crate::features::notices::Told;
use crate::features::{datasets, gpus, images, reservations, terminals};

/// Replaces `before` by `one` and returns the row as written; `None` when another change came first.
pub(super) async fn save(portal: &Portal, before: &Instance, one: Instance) -> ApiResult<Option<Instance>> {
    let settled = one.reviving.is_none() && matches!(one.state, State::Running | State::Stopped | State::Error);
    write(portal, before, one, before.reviving.is_some() && settled).await
}

/// Like [`save`], for an instance that ended with its server's restart and is not started again.
pub(super) async fn save_after_restart(
    portal: &Portal,
    before: &Instance,
    one: Instance,
) -> ApiResult<Option<Instance>> {
    write(portal, before, one, true).await
}

/// `restarted`: notifies the owner of the outcome after a restart of the server.
async fn write(portal: &Portal, before: &Instance, one: Instance, restarted: bool) -> ApiResult<Option<Instance>> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let Some(one) = changes::put(&tx, before, one, "", now).await? else { return Ok(None) };
    if one.state != before.state {
        give_back(&tx, &one, now).await?;
    }
    let told = if restarted { restarts::tell_owner(&tx, &one, now).await? } else { Told::default() };
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(Some(one))
}

/// Gives back what the instance does not need in its new state.
pub(in crate::features::instances) async fn give_back(tx: &Tx, one: &Instance, now: Timestamp) -> ApiResult<()> {
    if !one.state.is_active() {
        gpus::close_leases(tx, &one.id, now).await?;
        reservations::end(tx, &one.id, now).await?;
    }
    if one.state == State::Released {
        store_ports::give_back(tx, &one.id, now).await?;
        terminals::forget_instance(tx, &one.id).await?;
        datasets::end_uses(tx, &one.id, now).await?;
        images::end_use(tx, &one.id).await?;
    }
    Ok(())
}

/// The engine confirmed that it does not run: it is stopped, or failed for a reason.
pub(super) async fn stand(
    portal: &Portal,
    before: &Instance,
    state: State,
    reason: &str,
) -> ApiResult<Option<Instance>> {
    let mut one = before.clone();
    if !one.step(state, reason) {
        return Ok(None);
    }
    one.desired = Desired::Stopped;
    one.keep_until = keep::until(portal.db(), portal.now()).await?;
    save(portal, before, one).await
}
