//! Restarts instances that ran before their engine or machine was restarted: only those that ended together with the
//! engine, whose owner wants it, not if it keeps happening, and only once the network disk is mounted. Their
//! reservations are kept all the time: the state goes from running to starting in one step.

use std::time::Duration;

use engine::Exit;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind, Role, Timestamp};

use super::drive::Drive;
use super::{keep, settle};
use crate::Portal;
use crate::features::clusters;
use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};
use crate::features::instances::{changes, check, restarts};
use crate::features::servers::{self, Server};
use crate::features::users;

/// At most two revivals within this time; then a server that keeps restarting leaves its instances stopped.
const AN_HOUR: Duration = Duration::from_secs(3600);
/// The network disk may come later than the engine, as NFS does.
const DISK_MAY_COME: Duration = Duration::from_secs(600);
/// Interval between two looks for the disk.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// The reason not to start an instance again after its server's restart; `None` if it may.
pub(super) fn objection(one: &Instance, draining: bool, now: Timestamp) -> Option<&'static str> {
    if draining {
        Some("服务器正在停机维护")
    } else if !one.auto_start {
        Some("实例没有设置自动启动")
    } else if one.is_suspended() {
        Some("实例已暂停，需要管理员解除")
    } else if one.frozen_for.is_some() {
        Some("实例因空间用完被冻结，清理后可以启动")
    } else if one.stop_at.is_some_and(|at| at <= now) {
        Some("已到设定的停止时间")
    } else if one.revived_before.is_some_and(|at| at.plus(AN_HOUR) > now) {
        Some("服务器在一小时内多次重启，已经自动启动过两次")
    } else {
        None
    }
}

/// Its server was restarted: it starts again, or is left with a reason.
pub(super) async fn after_restart(drive: &Drive<'_>, one: &Instance, exit: &Exit) -> ApiResult<()> {
    let (portal, now) = (drive.portal, drive.portal.now());
    let server = servers::by_id(portal.db(), &one.server).await?;
    if let Some(why) = objection(one, server.drain.is_some(), now) {
        return leave(portal, one, exit, why).await;
    }
    let mut again = one.clone();
    if !again.step(State::Starting, format!("{}，正在自动启动", clusters::restarted(exit))) {
        return Ok(());
    }
    (again.desired, again.attempts) = (Desired::Running, 0);
    (again.revived_before, again.revived, again.reviving) = (one.revived, Some(now), Some(now));
    let tx = portal.db().begin().await?;
    changes::leave_groups(&tx, &mut again).await?;
    servers::note_restart(&tx, &one.server, 0, 0, now).await?;
    if changes::put(&tx, one, again, "", now).await?.is_some() {
        tx.commit().await?;
    }
    Ok(())
}

/// It stays as its restarted server left it.
async fn leave(portal: &Portal, one: &Instance, exit: &Exit, why: &str) -> ApiResult<()> {
    let reason = format!("{}，没有自动启动：{why}", clusters::restarted(exit));
    if let Some(stopped) = stopped(portal, one, reason).await? {
        settle::save_after_restart(portal, one, stopped).await?;
    }
    Ok(())
}

async fn stopped(portal: &Portal, one: &Instance, reason: String) -> ApiResult<Option<Instance>> {
    let mut stopped = one.clone();
    if !stopped.step(State::Stopped, reason) {
        return Ok(None);
    }
    stopped.desired = Desired::Stopped;
    stopped.keep_until = keep::until(portal.db(), portal.now()).await?;
    Ok(Some(stopped))
}

/// Whether an instance that is being revived may start now: its owner may still use its datasets, and the network disk
/// is mounted.
pub(super) async fn is_ready(drive: &Drive<'_>, one: &Instance) -> ApiResult<bool> {
    let (portal, now) = (drive.portal, drive.portal.now());
    let Some(since) = one.reviving else { return Ok(true) };
    let server = servers::by_id(portal.db(), &one.server).await?;
    if let Err(refused) = sees_datasets(portal, one, now).await? {
        give_up(portal, one, refused.message()).await?;
        return Ok(false);
    }
    if one.mounts.is_empty() {
        return Ok(true);
    }
    match check::sees_disk(portal, drive.runtime.as_ref(), &server).await {
        Ok(true) => return Ok(true),
        Ok(false) => {}
        // The next look at the engine handles it.
        Err(engine::Error::Unreachable(_)) => return Ok(false),
        Err(error) => tracing::warn!(instance.id = one.id, %error, "the network disk can't be looked for"),
    }
    if since.plus(DISK_MAY_COME) <= now {
        give_up(portal, one, &format!("服务器上的 {} 没有挂载网盘，请联系管理员", server.storage_path)).await?;
    } else {
        wait_for_disk(portal, one, &server, now).await?;
    }
    Ok(false)
}

async fn sees_datasets(portal: &Portal, one: &Instance, now: Timestamp) -> ApiResult<Result<(), ApiError>> {
    let tx = portal.db().begin().await?;
    let admin = users::administrator_name(&tx, one.user).await?.is_some();
    let owner = Actor {
        id: one.user,
        username: one.username.clone(),
        role: if admin { Role::Admin } else { Role::User },
        session: String::new(),
        expires: now,
        token: None,
        folder: None,
    };
    match changes::check_datasets(&tx, &owner, one, "可以先修改实例去掉它，再启动").await {
        Err(error) if error.kind() != ErrorKind::Invalid => Err(error),
        answer => Ok(answer),
    }
}

async fn give_up(portal: &Portal, one: &Instance, why: &str) -> ApiResult<()> {
    let reason = format!("服务器重启，没有自动启动：{why}");
    if let Some(stopped) = stopped(portal, one, reason).await? {
        settle::save(portal, one, stopped).await?;
    }
    Ok(())
}

async fn wait_for_disk(portal: &Portal, one: &Instance, server: &Server, now: Timestamp) -> ApiResult<()> {
    let mut waiting = one.clone();
    waiting.retry_at = Some(now.plus(LOOK_AGAIN));
    waiting.state_reason = format!("服务器重启，等待服务器上的 {} 挂载网盘后自动启动", server.storage_path);
    settle::save(portal, one, waiting).await?;
    Ok(())
}

/// Notifies administrators of a restart once no instance is being revived any more.
pub(super) async fn tell_of_restart(portal: &Portal, server: &Server) -> ApiResult<()> {
    match server.restart {
        Some(restart) => restarts::tell_administrators(portal, server, restart).await,
        None => Ok(()),
    }
}
