//! Instances of people who leave: listed, saved as an image for another person, released.
//!
//! An instance itself is not handed over: its container has its owner's home, groups, network and name in it. The
//! content of its root is, as an image.

use db_kit::{Sql, Tx};
use http_kit::ApiResult;
use kernel::{ErrorKind, Timestamp, UserId};

use super::changes::{self, Action};
use super::state::{Desired, State};
use super::{store, store_leaving};
use crate::features::servers::{self, ServerState};

/// An instance that is not released.
#[derive(Clone, Debug)]
pub(crate) struct HeldInstance {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The server's name.
    pub(crate) server: String,
    /// Its server does not answer.
    pub(crate) unreachable: bool,
    pub(crate) state: State,
    pub(crate) gpus: usize,
}

/// Lists all of a person's instances that are not released, by name.
///
/// # Errors
/// If the database fails.
pub(crate) async fn open_of(db: &impl Sql, user: UserId) -> ApiResult<Vec<HeldInstance>> {
    let servers = servers::all(db).await?;
    let mut open = store_leaving::open_of(db, user).await?;
    open.sort_by(|one, other| one.name.cmp(&other.name));
    let held = open.into_iter().map(|one| {
        let server = servers.iter().find(|server| server.id == one.server);
        HeldInstance {
            server: server.map(|server| server.name.clone()).unwrap_or_default(),
            unreachable: server.is_some_and(|server| server.state() == ServerState::Unreachable),
            state: one.state,
            gpus: one.gpus.len(),
            id: one.id,
            name: one.name,
        }
    });
    Ok(held.collect())
}

/// How far the release of an instance is.
#[derive(Clone, Debug)]
pub(crate) enum Release {
    /// The instance is released.
    Gone,
    /// The release was requested just now. The caller wakes the server after the commit.
    Told { server: String },
    /// The release is under way.
    UnderWay { unreachable: bool },
    /// The engine refuses, for this reason.
    Failed(String),
}

/// Requests the release of an instance, or returns its progress. `again`: retries a release that failed.
///
/// # Errors
/// If the database fails.
pub(crate) async fn release(
    tx: &Tx,
    id: &str,
    by: &str,
    reason: &str,
    again: bool,
    now: Timestamp,
) -> ApiResult<Release> {
    let one = match store::by_id(tx, id).await {
        Ok(one) => one,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Release::Gone),
        Err(error) => return Err(error),
    };
    match (one.state, one.desired) {
        (State::Released, _) => return Ok(Release::Gone),
        (State::Releasing, _) => {
            let server = servers::by_id(tx, &one.server).await?;
            return Ok(Release::UnderWay { unreachable: server.state() == ServerState::Unreachable });
        }
        (State::Error, Desired::Released) if !again => return Ok(Release::Failed(one.state_reason)),
        _ => {}
    }
    match changes::act(tx, &one, Action::Release, by, reason, now).await {
        Ok(one) => Ok(Release::Told { server: one.server }),
        // The reconciler wrote over it meanwhile.
        Err(error) if changes::is_outrun(&error) => Ok(Release::UnderWay { unreachable: false }),
        Err(error) => Err(error),
    }
}

/// The root that an image is made of.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    At {
        server: String,
        /// The cluster's id of what it is made as.
        object: String,
        /// The instance's name.
        name: String,
    },
    /// Its container is being stopped or made.
    NotYet,
    /// The instance has no container.
    None,
    /// The instance is released, or is being so.
    Gone,
}

/// Returns the root of an instance, for any owner.
///
/// # Errors
/// If the database fails.
pub(crate) async fn root_of(db: &impl Sql, id: &str) -> ApiResult<Root> {
    let one = match store::by_id(db, id).await {
        Ok(one) => one,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Root::Gone),
        Err(error) => return Err(error),
    };
    Ok(match one.state {
        State::Running | State::Stopped | State::Error if one.engine_id.is_empty() => Root::None,
        State::Running | State::Stopped | State::Error => {
            Root::At { server: one.server, object: one.engine_id, name: one.name }
        }
        State::Releasing | State::Released => Root::Gone,
        _ => Root::NotYet,
    })
}
