//! Access to the inside of an instance: its log and terminals. Only for its owner and administrators; a group's leader
//! sees members' use, and nothing of what they do.

use std::sync::Arc;

use engine::{ContainerRef, Engine, Error};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind};

use super::model::Instance;
use super::policy::{self, not_found};
use super::reconcile::container;
use super::state::State;
use super::{frozen, http, store};
use crate::Portal;
use crate::features::{clusters, servers};

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

/// The container of an instance that runs.
///
/// # Errors
/// 409 when it does not, 503 when its server does not answer.
pub(crate) async fn running_container(portal: &Portal, id: &str) -> ApiResult<(Arc<dyn Engine>, ContainerRef)> {
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
    container_of(portal, &one).await
}

/// The container of an instance, and the engine that it is on.
pub(super) async fn container_of(portal: &Portal, one: &Instance) -> ApiResult<(Arc<dyn Engine>, ContainerRef)> {
    let server = servers::by_id(portal.db(), &one.server).await?;
    let engine = portal.compute().engine(portal, &server)?;
    Ok((engine, container(one).ok_or_else(not_found)?))
}

/// Maps an engine error to an API error for a caller who enters an instance.
pub(crate) fn engine_refused(error: Error) -> ApiError {
    match error {
        Error::Unreachable(_) => unavailable(&error),
        Error::NotFound(_) => ApiError::conflict("instance_state", "实例没有容器"),
        Error::Conflict(_) => ApiError::conflict("instance_state", "实例没有在运行"),
        other => ApiError::internal(other),
    }
}

fn unavailable(error: &Error) -> ApiError {
    let message = format!("服务器没有响应：{}", clusters::explain(error).words);
    ApiError::new(ErrorKind::Unavailable, "server_unreachable", message)
}
