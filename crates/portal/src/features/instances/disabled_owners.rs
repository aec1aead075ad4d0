//! Instances of people whose accounts are disabled: listed beforehand, and stopped in the same transaction.
//!
//! Stopping is a wish like any other, so it also reaches a server that does not answer at that moment.

use std::collections::BTreeSet;

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Timestamp, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::changes::{self, Action};
use super::model::Instance;
use super::state::State;
use super::store;
use crate::Portal;
use crate::features::servers::{self, ServerState};
use crate::features::users;

/// The reconciler may write over an instance between reading and stopping it, rarely more than once.
const TRIES: usize = 5;

/// An instance that runs, or is about to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunningInstance {
    id: String,
    name: String,
    /// Its owner's name.
    username: String,
    /// The server's name.
    server: String,
    /// Its server does not answer: what is wanted happens when it does.
    unreachable: bool,
    state: State,
    /// Its programs are frozen until an administrator lifts that.
    suspended: bool,
    /// Cards that it holds.
    gpus: usize,
}

impl RunningInstance {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn gpus(&self) -> usize {
        self.gpus
    }
}

/// Lists the running instances of these people, by owner and name.
///
/// # Errors
/// If the database fails.
pub(crate) async fn running_of(db: &impl Sql, people: &[UserId]) -> ApiResult<Vec<RunningInstance>> {
    let servers = servers::all(db).await?;
    let mut found = store::running_of(db, people).await?;
    found.sort_by(|one, other| (&one.username, &one.name).cmp(&(&other.username, &other.name)));
    let shown = found.into_iter().map(|one| {
        let server = servers.iter().find(|server| server.id == one.server);
        RunningInstance {
            server: server.map(|server| server.name.clone()).unwrap_or_default(),
            unreachable: server.is_some_and(|server| server.state() == ServerState::Unreachable),
            state: one.state,
            suspended: one.is_suspended(),
            gpus: one.gpus.len(),
            id: one.id,
            name: one.name,
            username: one.username,
        }
    });
    Ok(shown.collect())
}

/// Instances whose stop was requested. Their servers are woken after the commit, by [`Portal::wake_stopped`].
#[must_use = "the servers are to be woken after the commit"]
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopped(Vec<Instance>);

impl Stopped {
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|one| one.name.as_str())
    }
}

/// Requests the stop of everything that these people run, under [`crate::features::allocations::hold_reservations`].
///
/// # Errors
/// 409 if an instance changes all the time; otherwise if the database fails.
pub(crate) async fn stop_all_of(
    tx: &Tx,
    people: &[UserId],
    by: &str,
    reason: &str,
    now: Timestamp,
) -> ApiResult<Stopped> {
    let mut stopped = Vec::new();
    for one in store::running_of(tx, people).await? {
        stopped.extend(stop(tx, one, by, reason, now).await?);
    }
    Ok(Stopped(stopped))
}

async fn stop(tx: &Tx, mut one: Instance, by: &str, reason: &str, now: Timestamp) -> ApiResult<Option<Instance>> {
    for _ in 0..TRIES {
        match changes::act(tx, &one, Action::Stop, by, reason, now).await {
            Ok(stopped) => return Ok(Some(stopped)),
            Err(error) if changes::is_outrun(&error) => one = store::by_id(tx, &one.id).await?,
            Err(error) => return Err(error),
        }
        if !one.state.is_on() {
            return Ok(None);
        }
    }
    Err(changes::changed_meanwhile())
}

/// Refuses a reservation when the account was disabled after the request came in.
pub(super) async fn check_active(tx: &Tx, actor: &Actor) -> ApiResult<()> {
    if users::contacts(tx, &[actor.id]).await?.is_empty() {
        return Err(ApiError::conflict("account_disabled", "账号已被禁用"));
    }
    Ok(())
}

impl Portal {
    /// Wakes the workers of these instances' servers.
    pub(crate) fn wake_stopped(&self, stopped: &Stopped) {
        let servers: BTreeSet<&str> = stopped.0.iter().map(|one| one.server.as_str()).collect();
        for server in servers {
            self.wake_server(server);
        }
    }
}
