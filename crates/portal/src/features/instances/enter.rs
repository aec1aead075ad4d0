//! Access to the inside of an instance: its log and terminals. Only for its owner and administrators; a group's leader
//! sees members' use, and nothing of what they do.

use std::sync::Arc;

use engine::{Runtime, WorkloadId};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind};

use super::model::Instance;
use super::policy;
use super::reconcile::workload_id;
use super::state::State;
use super::{frozen, http, store};
use crate::Portal;
use crate::features::servers;

/// Whether a caller may enter an instance, and whether it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Access is denied.
    Refused,
    /// Access is granted, but the instance does not run.
    Standing,
    Running,
}

/// Checks that the caller may enter an instance, and returns its name.
///
/// # Errors
/// 404 for another person's instance, 409 for a caller who only leads the owner's group.
pub(crate) async fn may_enter(portal: &Portal, actor: &Actor, id: &str) -> ApiResult<String> {
    Ok(entered(portal, actor, id).await?.name)
}

/// Checks access again, for a terminal or log that is already open.
pub(crate) async fn entry(portal: &Portal, actor: &Actor, id: &str) -> ApiResult<Entry> {
    match entered(portal, actor, id).await {
        Ok(one) if one.state == State::Running => Ok(Entry::Running),
        Ok(_) => Ok(Entry::Standing),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Conflict) => Ok(Entry::Refused),
        Err(error) => Err(error),
    }
}

pub(super) async fn entered(portal: &Portal, actor: &Actor, id: &str) -> ApiResult<Instance> {
    let (one, standing) = http::known(portal.db(), actor, id).await?;
    policy::may_change(standing)?;
    Ok(one)
}

/// An instance that runs, and where.
///
/// # Errors
/// 409 when it does not, 503 when its server does not answer.
pub(crate) async fn running(portal: &Portal, id: &str) -> ApiResult<(Arc<dyn Runtime>, WorkloadId)> {
    let one = store::by_id(portal.db(), id).await?;
    if one.state != State::Running {
        return Err(ApiError::conflict("instance_state", format!("实例{}，没有在运行", one.state)));
    }
    if one.is_suspended() {
        return Err(policy::suspended(&one));
    }
    if let Some(holder) = &one.frozen_for {
        return Err(frozen::refused(holder));
    }
    placed(portal, &one).await
}

/// An instance for its cluster, and the connection to that.
pub(super) async fn placed(portal: &Portal, one: &Instance) -> ApiResult<(Arc<dyn Runtime>, WorkloadId)> {
    let server = servers::by_id(portal.db(), &one.server).await?;
    Ok((portal.clusters().runtime(portal, &server)?, workload_id(one)?))
}
