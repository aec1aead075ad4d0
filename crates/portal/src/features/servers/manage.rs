//! Adding, changing and removing servers, for administrators' calls (`fleet`) and for joins. An engine is asked outside of
//! the transaction, since it may take long to answer.

use std::time::Duration;

use db_kit::{Sql, Tx};
use futures_util::{StreamExt, TryStreamExt, stream};
use http_kit::{ApiError, ApiResult, FieldProblem};
use kernel::Timestamp;

use super::form::{ServerEntry, ServerForm, ServerListForm};
use super::model::Server;
use super::{identity, store};
use crate::Portal;
use crate::events::{AfterCommit, Event};
use crate::features::logs::Acting;
use crate::features::{clusters, settings};

/// A server that answered within this time may come back.
const SILENT_BEFORE_GIVEN_UP: Duration = Duration::from_secs(600);

/// The most servers of a list.
const MOST: usize = 500;

/// Engines whose identity is queried concurrently.
const ASKED_AT_ONCE: usize = 16;

/// Adds a server.
///
/// # Errors
/// 422 by the rules for servers, 409 when the name or the engine is taken, or if the database fails.
pub(crate) async fn create(portal: &Portal, by: &Acting, form: ServerForm) -> ApiResult<Server> {
    let new = fresh(portal, portal.db(), form.clone()).await.map_err(|faults| faults.refusal(None))?;
    let found = identity::asked(portal, &new).await?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let server = add(portal, &tx, form, found).await.map_err(|faults| faults.refusal(None))?;
    by.record(&tx, "server.create", server.name.clone(), String::new()).await?;
    tx.commit().await?;
    portal.servers_changed();
    Ok(server)
}

/// Changes a server; left-out fields stay.
///
/// # Errors
/// As [`create`], and 404 when there is no such server.
pub(crate) async fn update(portal: &Portal, by: &Acting, id: &str, form: ServerForm) -> ApiResult<Server> {
    let old = store::by_id(portal.db(), id).await?;
    let found = found_anew(portal, &old, form.clone()).await.map_err(|faults| faults.refusal(None))?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let old = store::by_id(&tx, id).await?;
    let server = modify(portal, &tx, old, form, found).await.map_err(|faults| faults.refusal(None))?;
    by.record(&tx, "server.update", server.name.clone(), String::new()).await?;
    tx.commit().await?;
    portal.servers_changed();
    Ok(server)
}

/// Refuses to give up a server that may come back: a restart is no end.
///
/// # Errors
/// 409 when it answered a short time ago.
pub(crate) fn refuse_alive(server: &Server, now: Timestamp) -> ApiResult<()> {
    match server.last_seen {
        Some(seen) if seen.plus(SILENT_BEFORE_GIVEN_UP) > now => {
            let message = format!("服务器 {} 在 10 分钟之内还有应答，请先释放上面的实例", server.name);
            Err(ApiError::conflict("server_answers", message))
        }
        _ => Ok(()),
    }
}

/// Removes a server, unless a listener refuses that. Nothing is done to its engine.
///
/// # Errors
/// 409 while something needs it, or if the database fails.
pub(crate) async fn remove(
    portal: &Portal,
    tx: &Tx,
    by: &Acting,
    server: &Server,
    detail: String,
) -> ApiResult<AfterCommit> {
    // No instance is created there meanwhile.
    tx.serialize("reservations").await?;
    let going = Event::ServerToBeRemoved { server: server.id.clone(), name: server.name.clone() };
    let after = portal.announce(tx, going).await?;
    store::delete(tx, server).await?;
    by.record(tx, "server.delete", server.name.clone(), detail).await?;
    Ok(after)
}

/// Replaces the list of servers: those with an id are changed, those without are added, those that are missing are
/// removed. All of it or nothing.
///
/// # Errors
/// As the single changes; faults are named with the position in the list.
pub(crate) async fn replace(portal: &Portal, by: &Acting, list: ServerListForm) -> ApiResult<Vec<Server>> {
    if list.items.len() > MOST {
        return Err(ApiError::field("items", format!("最多 {MOST} 台服务器")));
    }
    let found = found_of_all(portal, &list).await?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let old = store::all(&tx).await?;
    let mut after = AfterCommit::default();
    for server in &old {
        if !list.items.iter().any(|entry| entry.id.as_ref() == Some(&server.id)) {
            after = after.and(remove(portal, &tx, by, server, String::new()).await?);
        }
    }
    for entry in &list.items {
        let known = old.iter().find(|server| entry.id.as_ref() == Some(&server.id));
        if let Some(server) = known.filter(|server| entry.form.moves(server)) {
            // Two servers may change places.
            store::forget_identity(&tx, server).await?;
        }
    }
    for (at, (entry, found)) in list.items.into_iter().zip(found).enumerate() {
        let known = entry.id.as_ref().map(|id| old.iter().find(|server| server.id == *id));
        let done = match known {
            Some(None) => return Err(ApiError::not_found("服务器")),
            Some(Some(server)) => {
                modify(portal, &tx, server.clone(), entry.form, found).await.map(|new| (new, "server.update"))
            }
            None => add(portal, &tx, entry.form, found).await.map(|new| (new, "server.create")),
        };
        let (server, action) = done.map_err(|faults| faults.refusal(Some(at)))?;
        by.record(&tx, action, server.name, String::new()).await?;
    }
    tx.commit().await?;
    after.carry_out(portal);
    portal.servers_changed();
    store::all(portal.db()).await
}

/// Why a server can't be as it should.
pub(super) enum Refused {
    Faults(Vec<FieldProblem>),
    Error(ApiError),
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl Refused {
    /// `at` is the place in the list.
    pub(super) fn refusal(self, at: Option<usize>) -> ApiError {
        let mut faults = match self {
            Self::Faults(faults) => faults,
            Self::Error(error) => return error,
        };
        if let Some(at) = at {
            for fault in &mut faults {
                fault.name = format!("items.{at}.{}", fault.name);
            }
        }
        ApiError::invalid(faults)
    }
}

/// `found` is the engine that answers there.
pub(super) async fn add(portal: &Portal, tx: &Tx, form: ServerForm, found: Option<String>) -> Result<Server, Refused> {
    let mut server = fresh(portal, tx, form).await?;
    server.cluster.identity = found;
    identity::refuse_known(tx, &server).await?;
    store::insert(tx, &server).await?;
    Ok(server)
}

pub(super) async fn fresh(portal: &Portal, db: &impl Sql, form: ServerForm) -> Result<Server, Refused> {
    filled(portal, Server::blank(settings::read(db).await?.basic.port_range, portal.now()), form)
}

/// A new server as a form describes it, before validation.
pub(super) async fn drafted(db: &impl Sql, form: &ServerForm, now: Timestamp) -> ApiResult<Server> {
    let mut server = Server::blank(settings::read(db).await?.basic.port_range, now);
    form.apply(&mut server);
    Ok(server)
}

/// `found` is the engine that answers at a new address.
async fn modify(
    portal: &Portal,
    tx: &Tx,
    old: Server,
    form: ServerForm,
    found: Option<String>,
) -> Result<Server, Refused> {
    let moves = form.moves(&old);
    let mut server = filled(portal, old, form)?;
    if moves {
        server.cluster.identity = found;
        identity::refuse_known(tx, &server).await?;
    }
    store::update(tx, &server).await?;
    Ok(server)
}

/// Which engine answers at a server's new address.
async fn found_anew(portal: &Portal, old: &Server, form: ServerForm) -> Result<Option<String>, Refused> {
    if !form.moves(old) {
        return Ok(None);
    }
    Ok(identity::asked(portal, &filled(portal, old.clone(), form)?).await?)
}

/// Queries the engines of a whole list. Faults of an entry are reported later, with its position.
async fn found_of_all(portal: &Portal, list: &ServerListForm) -> ApiResult<Vec<Option<String>>> {
    let old = store::all(portal.db()).await?;
    let one = async |entry: &ServerEntry| {
        let known = old.iter().find(|server| entry.id.as_ref() == Some(&server.id));
        let found = match known {
            Some(server) => found_anew(portal, server, entry.form.clone()).await,
            None => match fresh(portal, portal.db(), entry.form.clone()).await {
                Ok(new) => Ok(identity::asked(portal, &new).await?),
                Err(faults) => Err(faults),
            },
        };
        match found {
            Err(Refused::Error(error)) => Err(error),
            found => Ok(found.unwrap_or_default()),
        }
    };
    stream::iter(&list.items).map(one).buffered(ASKED_AT_ONCE).try_collect().await
}

fn filled(portal: &Portal, mut server: Server, form: ServerForm) -> Result<Server, Refused> {
    let form = form.trimmed();
    let old_address = server.cluster.address.clone();
    form.apply(&mut server);
    // Credentials are kept for the endpoint that they were entered for, and for no other.
    let keeps_tls = server.cluster.tls.is_some() && server.cluster.address == old_address;
    let faults = form.faults(&server, keeps_tls);
    if !faults.is_empty() {
        return Err(Refused::Faults(faults));
    }
    let cluster = &mut server.cluster;
    if cluster.address.starts_with("unix://") {
        cluster.tls = None;
    } else if let Some(tls) = &form.tls {
        cluster.tls = Some(clusters::seal_keys(portal.seal(), &cluster.id, &tls.credentials())?);
    }
    Ok(server)
}
