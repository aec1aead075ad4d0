//! Access to the inside of an instance: its log and terminals. Only for its owner and administrators; a group's leader
//! sees members' use, and nothing of what they do.

use std::net::IpAddr;
use std::sync::Arc;

use engine::{Runtime, WorkloadId};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind};

use super::changes::Action;
use super::model::Instance;
use super::policy::{self, Standing};
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

/// The id of an instance that is not released, by its name or id.
pub(crate) async fn id_of(portal: &Portal, name: &str) -> ApiResult<Option<String>> {
    Ok(store::id_named(portal.db(), name).await?)
}

/// One of a person's own instances, as a way in.
#[derive(Clone, Debug)]
pub(crate) struct Doorway {
    pub(crate) name: String,
    pub(crate) note: String,
    /// In words.
    pub(crate) state: String,
    /// Whether it can be entered now.
    pub(crate) enters: bool,
    /// Whether it can be started now.
    pub(crate) starts: bool,
}

/// The actor's own instances, oldest first.
pub(crate) async fn doorways(portal: &Portal, actor: &Actor) -> ApiResult<Vec<Doorway>> {
    let own = store::open_of_owner(portal.db(), actor.id).await?;
    let doorway = |one: Instance| Doorway {
        state: one.state.to_string(),
        enters: one.state == State::Running && !one.is_suspended() && one.frozen_for.is_none(),
        starts: policy::check(actor, Standing::Full, &one, Action::Start).is_ok(),
        name: one.name,
        note: one.note,
    };
    Ok(own.into_iter().map(doorway).collect())
}

/// Requests the start of an instance, as the page does.
///
/// # Errors
/// Those of the page's call.
pub(crate) async fn start(portal: &Portal, actor: &Actor, address: IpAddr, id: &str) -> ApiResult<()> {
    http::act_on(portal, actor, address, id, Action::Start).await.map(drop)
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
