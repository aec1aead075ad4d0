//! Administrators' calls for servers.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::{Sql, Tx};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, ClientAddress, FieldProblem, Json, Path, Problem, Query};
use kernel::{Actor, Page, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use super::form::{ServerEntry, ServerForm, ServerListForm};
use super::model::{Check, Server, ServerView};
use super::{identity, store, view};
use crate::Portal;
use crate::features::allocations::Accesses;
use crate::features::logs::{self, Operation};
use crate::features::machine_helper::Caller;
use crate::features::notices::Told;
use crate::features::{clusters, instances, settings};

/// A server that answered within this time may come back.
const SILENT_BEFORE_GIVEN_UP: Duration = Duration::from_secs(600);

/// Engines whose identity is queried concurrently.
const ASKED_AT_ONCE: usize = 16;

/// 添加服务器
///
/// Adds a server. Its engine is asked at once; `servers/{id}/check` proves what it can do.
#[utoipa::path(post, path = "/api/servers", operation_id = "servers_create", tag = "servers",
    request_body = ServerForm,
    responses((status = 201, body = ServerView, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn create(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(form): Json<ServerForm>,
) -> ApiResult<Response> {
    let new = fresh(&portal, portal.db(), form.clone()).await.map_err(|faults| faults.refusal(None))?;
    // Outside of the transaction: an engine may take long to answer.
    let found = identity::asked(&portal, &new).await?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let server = add(&portal, &tx, form, found).await.map_err(|faults| faults.refusal(None))?;
    record(&tx, &actor, address, "server.create", &server, portal.now()).await?;
    tx.commit().await?;
    portal.servers_changed();
    let location = HeaderValue::from_str(&format!("/api/servers/{}", server.id)).map_err(ApiError::internal)?;
    let shown = one_shown(&portal, &actor, server).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(shown)).into_response())
}

/// 修改服务器
///
/// Changes a server; left-out fields stay.
#[utoipa::path(put, path = "/api/servers/{id}", operation_id = "servers_update", tag = "servers",
    params(("id" = String, Path)), request_body = ServerForm,
    responses((status = 200, body = ServerView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn update(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Path(id): Path<String>,
    Json(form): Json<ServerForm>,
) -> ApiResult<Json<ServerView>> {
    let old = store::by_id(portal.db(), &id).await?;
    let found = found_anew(&portal, &old, form.clone()).await.map_err(|faults| faults.refusal(None))?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let old = store::by_id(&tx, &id).await?;
    let server = modify(&portal, &tx, old, form, found).await.map_err(|faults| faults.refusal(None))?;
    record(&tx, &actor, address, "server.update", &server, portal.now()).await?;
    tx.commit().await?;
    portal.servers_changed();
    Ok(Json(one_shown(&portal, &actor, server).await?))
}

/// 移除服务器
///
/// Removes a server without instances; with `givenUp` one that will not come back, whose instances are released in
/// the portal's records. Nothing is done to its engine.
#[utoipa::path(delete, path = "/api/servers/{id}", operation_id = "servers_delete", tag = "servers",
    params(("id" = String, Path), RemovalQuery),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn delete(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Path(id): Path<String>,
    Query(query): Query<RemovalQuery>,
) -> ApiResult<StatusCode> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    tx.serialize("reservations").await?;
    let server = store::by_id(&tx, &id).await?;
    let (mut told, mut detail) = (Told::default(), String::new());
    if query.given_up.unwrap_or_default() {
        refuse_alive(&server, now)?;
        let released;
        (released, told) = instances::give_up_all(&tx, &server, &actor.username, now).await?;
        detail = format!("服务器不再恢复，{released} 个实例随之释放");
    }
    remove(&tx, &server).await?;
    record_with(&tx, &actor, address, "server.delete", &server, detail, now).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    portal.servers_changed();
    Ok(StatusCode::NO_CONTENT)
}

/// How a server is removed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct RemovalQuery {
    /// It will not come back: its instances are released without it. Only after it was silent for 10 minutes.
    given_up: Option<bool>,
}

/// A restart is no end.
fn refuse_alive(server: &Server, now: Timestamp) -> ApiResult<()> {
    match server.last_seen {
        Some(seen) if seen.plus(SILENT_BEFORE_GIVEN_UP) > now => {
            let message = format!("服务器 {} 在 10 分钟之内还有应答，请先释放上面的实例", server.name);
            Err(ApiError::conflict("server_answers", message))
        }
        _ => Ok(()),
    }
}

/// 替换整个服务器列表
///
/// Replaces the list of servers: those with an id are changed, those without are added, those
/// that are missing are removed. All of it or nothing.
#[utoipa::path(put, path = "/api/servers", operation_id = "servers_replace", tag = "servers",
    request_body = ServerListForm,
    responses((status = 200, body = Page<ServerView>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn replace(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(list): Json<ServerListForm>,
) -> ApiResult<Json<Page<ServerView>>> {
    if list.items.len() > 500 {
        return Err(ApiError::field("items", "最多 500 台服务器"));
    }
    let now = portal.now();
    let found = found_of_all(&portal, &list).await?;
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let old = store::all(&tx).await?;
    for server in &old {
        if !list.items.iter().any(|entry| entry.id.as_ref() == Some(&server.id)) {
            remove(&tx, server).await?;
            record(&tx, &actor, address, "server.delete", server, now).await?;
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
                modify(&portal, &tx, server.clone(), entry.form, found).await.map(|new| (new, "server.update"))
            }
            None => add(&portal, &tx, entry.form, found).await.map(|new| (new, "server.create")),
        };
        let (server, action) = done.map_err(|faults| faults.refusal(Some(at)))?;
        record(&tx, &actor, address, action, &server, now).await?;
    }
    tx.commit().await?;
    portal.servers_changed();
    let all = store::all(portal.db()).await?;
    Ok(Json(Page::whole(view::shown(&portal, &actor, &Accesses::All, all).await?)))
}

/// 检测服务器
///
/// Proves what the server's engine can do, now.
#[utoipa::path(post, path = "/api/servers/{id}/check", operation_id = "servers_check", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = Vec<Check>), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn check(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Path(id): Path<String>,
) -> ApiResult<Json<Vec<Check>>> {
    Ok(Json(checked(&portal, &actor, address, &id).await?))
}

/// Checks a server and stores the result.
///
/// # Errors
/// When there is no such server, its engine belongs to another server, or the database fails.
pub(crate) async fn checked(portal: &Portal, actor: &Actor, address: IpAddr, id: &str) -> ApiResult<Vec<Check>> {
    let server = store::by_id(portal.db(), id).await?;
    let checks = portal.compute().check(portal, Caller::Administrator { actor, address }, &server).await?;
    let tx = portal.db().begin().await?;
    store::note_checks(&tx, id, &checks).await?;
    record(&tx, actor, address, "server.check", &server, portal.now()).await?;
    tx.commit().await?;
    Ok(checks)
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

async fn remove(tx: &Tx, server: &Server) -> ApiResult<()> {
    // No instance is created there meanwhile.
    tx.serialize("reservations").await?;
    if instances::has_open(tx, &server.id).await? {
        let message = format!("服务器 {} 上还有实例，请先释放", server.name);
        return Err(ApiError::conflict("server_in_use", message));
    }
    store::delete(tx, server).await?;
    Ok(())
}

async fn one_shown(portal: &Portal, actor: &Actor, server: Server) -> ApiResult<ServerView> {
    let shown = view::shown(portal, actor, &Accesses::All, vec![server]).await?.pop();
    shown.ok_or_else(|| ApiError::internal("one server gives one view"))
}

async fn record(
    tx: &Tx,
    actor: &Actor,
    address: IpAddr,
    action: &'static str,
    server: &Server,
    at: Timestamp,
) -> ApiResult<()> {
    record_with(tx, actor, address, action, server, String::new(), at).await
}

async fn record_with(
    tx: &Tx,
    actor: &Actor,
    address: IpAddr,
    action: &'static str,
    server: &Server,
    detail: String,
    at: Timestamp,
) -> ApiResult<()> {
    let target = server.name.clone();
    logs::record(tx, at, Operation { actor, address: address.to_string(), action, target, detail }).await
}
