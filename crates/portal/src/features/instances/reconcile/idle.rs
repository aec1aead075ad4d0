//! Idle instances. Their owners are notified after a while and, if the settings say so, the instances are stopped
//! later. The evidence are the samples by the minute: neither the CPU nor the network nor any of the cards was used,
//! and this was measured nearly all the time. Without evidence, such as after an outage of the server, nothing counts
//! as idle.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::Timestamp;

use crate::Portal;
use crate::features::instances::changes::{self, Action};
use crate::features::instances::model::Instance;
use crate::features::instances::{store, store_samples};
use crate::features::{gpus, settings};

/// Of the minutes, in percent, this many were measured: some are always missing.
const EVIDENCE: i64 = 80;

/// Checks all running instances, marks the idle ones, and stops those that were idle for long enough.
pub(crate) async fn look(portal: &Portal) -> ApiResult<()> {
    let basic = settings::read(portal.db()).await?.basic;
    let now = portal.now();
    for one in store::running(portal.db()).await?.into_iter().filter(|one| !one.is_frozen()) {
        let idle = basic.idle_minutes > 0 && is_idle(portal, &one, basic.idle_minutes, now).await?;
        let stop = minutes(basic.idle_stop_minutes);
        let mut found = one.clone();
        if idle {
            found.idle_since = one.idle_since.or_else(|| Some(now.minus(minutes(basic.idle_minutes))));
            found.idle_stop_at = one.idle_stop_at.or_else(|| Some(now.plus(stop))).filter(|_| !stop.is_zero());
        } else {
            (found.idle_since, found.idle_stop_at) = (None, None);
        }
        if found.idle_stop_at.is_some_and(|at| at <= now) {
            end(portal, &one, now).await?;
        } else if found != one {
            let tx = portal.db().begin().await?;
            if changes::put(&tx, &one, found, "", now).await?.is_some() {
                tx.commit().await?;
            }
        }
    }
    Ok(())
}

async fn is_idle(portal: &Portal, one: &Instance, length: i64, now: Timestamp) -> ApiResult<bool> {
    let from = now.minus(minutes(length));
    if one.started.is_none_or(|started| started > from) {
        return Ok(false);
    }
    let quiet = store_samples::quiet_minutes(portal.db(), &one.id, from).await?;
    Ok(quiet * 100 >= length * EVIDENCE && !gpus::any_busy(portal.db(), &one.gpus, from).await?)
}

async fn end(portal: &Portal, one: &Instance, now: Timestamp) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    match changes::act(&tx, one, Action::Stop, "", "长时间没有使用，自动停止", now).await {
        Ok(_) => tx.commit().await?,
        // A concurrent change came first; the next run reads the row again.
        Err(error) if changes::is_outrun(&error) => tracing::debug!(instance.id = one.id, %error, "outrun"),
        Err(error) => return Err(error),
    }
    portal.wake_server(&one.server);
    Ok(())
}

fn minutes(count: i64) -> Duration {
    Duration::from_secs(60 * count.unsigned_abs())
}
