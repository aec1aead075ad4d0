//! Servers in the database.

use db_kit::{Db, DbError, DbResult, FromQueryResult, Sql, Tx, Value};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use serde::de::DeserializeOwned;

use super::drain::Drain;
use super::form::SealedTls;
use super::model::{Check, Restart, Server, ServerFacts};
use crate::seal::Seal;

const COLUMNS: &str = "id, name, endpoint, tls, public_host, port_from, port_to, storage_path, enabled, schedulable, \
    maintenance_note, reserved_cpu, reserved_memory, local, reachable, facts, checks, last_seen, created, \
    identity, misdirected, machine_helper, restarted, restart_revived, restart_left, \
    drain_at, drain_note, drain_warned";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    endpoint: String,
    tls: Option<String>,
    public_host: String,
    port_from: i64,
    port_to: i64,
    storage_path: String,
    enabled: bool,
    schedulable: bool,
    maintenance_note: String,
    reserved_cpu: i64,
    reserved_memory: i64,
    local: bool,
    reachable: bool,
    facts: Option<String>,
    checks: Option<String>,
    last_seen: Option<i64>,
    created: i64,
    identity: Option<String>,
    misdirected: String,
    machine_helper: bool,
    restarted: Option<i64>,
    restart_revived: i64,
    restart_left: i64,
    drain_at: Option<i64>,
    drain_note: String,
    drain_warned: bool,
}

/// All servers by name. A lab has at most a few hundred.
pub(crate) async fn all(db: &impl Sql) -> ApiResult<Vec<Server>> {
    let rows: Vec<Row> = db.all(&format!("select {COLUMNS} from servers order by name_key, id"), vec![]).await?;
    rows.into_iter().map(Server::try_from).collect()
}

pub(crate) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Server> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from servers where id = $1"), vec![id.into()]).await?;
    row.ok_or_else(|| ApiError::not_found("服务器"))?.try_into()
}

/// Returns the server on the portal's own machine, if there is one.
pub(crate) async fn local(db: &impl Sql) -> ApiResult<Option<Server>> {
    let sql = format!("select {COLUMNS} from servers where local = $1");
    let row: Option<Row> = db.first(&sql, vec![true.into()]).await?;
    row.map(Server::try_from).transpose()
}

pub(super) async fn insert(tx: &Tx, server: &Server) -> ApiResult<()> {
    let mut values = changeable(server);
    values.extend([server.local.into(), server.created.as_millis().into(), false.into()]);
    let sql = "insert into servers (id, name, name_key, endpoint, tls, public_host, port_from, port_to, storage_path, \
        enabled, schedulable, maintenance_note, reserved_cpu, reserved_memory, identity, machine_helper, local, created, \
        reachable) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    tx.run(sql, values).await.map_err(name_taken)?;
    Ok(())
}

pub(super) async fn update(tx: &Tx, server: &Server) -> ApiResult<()> {
    let sql = "update servers set name = $2, name_key = $3, endpoint = $4, tls = $5, public_host = $6, port_from = $7, \
        port_to = $8, storage_path = $9, enabled = $10, schedulable = $11, maintenance_note = $12, reserved_cpu = $13, \
        reserved_memory = $14, identity = $15, machine_helper = $16 where id = $1";
    tx.run(sql, changeable(server)).await.map_err(name_taken)?;
    Ok(())
}

fn changeable(server: &Server) -> Vec<Value> {
    vec![
        server.id.as_str().into(),
        server.name.as_str().into(),
        server.name.to_lowercase().into(),
        server.endpoint.as_str().into(),
        server.tls.clone().into(),
        server.public_host.as_str().into(),
        server.port_from.into(),
        server.port_to.into(),
        server.storage_path.as_str().into(),
        server.enabled.into(),
        server.schedulable.into(),
        server.maintenance_note.as_str().into(),
        server.reserved_cpu.into(),
        server.reserved_memory.into(),
        server.identity.clone().into(),
        server.machine_helper.into(),
    ]
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from servers where id = $1", vec![id.into()]).await
}

/// Whether a server is called so, in capital or small letters.
pub(super) async fn has_name(db: &impl Sql, name: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from servers where name_key = $1";
    Ok(db.number(sql, vec![name.to_lowercase().into()]).await? > 0)
}

/// Whether a server is reached there.
pub(super) async fn has_endpoint(db: &impl Sql, endpoint: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from servers where endpoint = $1";
    Ok(db.number(sql, vec![endpoint.into()]).await? > 0)
}

/// The engine answered.
pub(crate) async fn note_answer(tx: &Tx, id: &str, facts: &ServerFacts, at: Timestamp) -> ApiResult<()> {
    let sql = "update servers set reachable = $2, facts = $3, last_seen = $4, misdirected = '' where id = $1";
    tx.run(sql, vec![id.into(), true.into(), json(facts)?.into(), at.as_millis().into()]).await?;
    Ok(())
}

/// Stores the version of the cards' driver.
pub(crate) async fn note_driver(tx: &Tx, id: &str, driver: &str, cuda: &str) -> ApiResult<()> {
    let mut facts = by_id(tx, id).await?.facts.unwrap_or_default();
    driver.clone_into(&mut facts.driver_version);
    cuda.clone_into(&mut facts.cuda_version);
    tx.run("update servers set facts = $2 where id = $1", vec![id.into(), json(&facts)?.into()]).await?;
    Ok(())
}

/// The engine does not answer.
pub(crate) async fn note_silence(db: &Db, id: &str) -> DbResult<()> {
    let tx = db.begin().await?;
    tx.run("update servers set reachable = $2, misdirected = '' where id = $1", vec![id.into(), false.into()]).await?;
    tx.commit().await
}

/// Returns the server with this engine identity.
pub(super) async fn by_identity(tx: &Tx, identity: &str) -> ApiResult<Option<Server>> {
    let sql = format!("select {COLUMNS} from servers where identity = $1");
    let row: Option<Row> = tx.first(&sql, vec![identity.into()]).await?;
    row.map(Server::try_from).transpose()
}

/// Which engine answers at `endpoint`; nothing when the server has another address by now.
pub(super) async fn note_identity(tx: &Tx, id: &str, endpoint: &str, identity: Option<&str>) -> DbResult<u64> {
    let sql = "update servers set identity = $3 where id = $1 and endpoint = $2";
    tx.run(sql, vec![id.into(), endpoint.into(), identity.map(str::to_owned).into()]).await
}

/// Its address leads to an engine that is not its own.
pub(super) async fn note_misdirected(tx: &Tx, id: &str, why: &str) -> DbResult<u64> {
    let sql = "update servers set reachable = $2, misdirected = $3 where id = $1";
    tx.run(sql, vec![id.into(), false.into(), why.into()]).await
}

/// Notes a restart of the server, unless one is open, and adds to the numbers of revived and stopped instances.
pub(crate) async fn note_restart(tx: &Tx, id: &str, revived: i64, left: i64, at: Timestamp) -> DbResult<()> {
    let sql = "update servers set restarted = coalesce(restarted, $2), restart_revived = restart_revived + $3, \
        restart_left = restart_left + $4 where id = $1";
    tx.run(sql, vec![id.into(), at.as_millis().into(), revived.into(), left.into()]).await?;
    Ok(())
}

/// Closes a restart whose notice is being sent; `false` if it is closed already, or changed since.
pub(crate) async fn close_restart(tx: &Tx, id: &str, restart: Restart) -> DbResult<bool> {
    let sql = "update servers set restarted = null, restart_revived = 0, restart_left = 0 where id = $1 and \
        restarted = $2 and restart_revived = $3 and restart_left = $4";
    let values = vec![id.into(), restart.since.as_millis().into(), restart.revived.into(), restart.left.into()];
    Ok(tx.run(sql, values).await? > 0)
}

/// Has the server emptied like this, or not any more.
pub(crate) async fn set_drain(tx: &Tx, id: &str, drain: Option<&Drain>) -> DbResult<()> {
    let sql = "update servers set drain_at = $2, drain_note = $3, drain_warned = $4 where id = $1";
    let at = drain.map(|drain| drain.at.as_millis());
    let (note, warned) = drain.map_or(("", false), |drain| (drain.note.as_str(), drain.warned));
    tx.run(sql, vec![id.into(), at.into(), note.into(), warned.into()]).await?;
    Ok(())
}

/// Marks the notice before the drain as sent; `false` if it already was, or the drain's time changed.
pub(crate) async fn note_drain_warned(tx: &Tx, id: &str, at: Timestamp) -> DbResult<bool> {
    let sql = "update servers set drain_warned = $3 where id = $1 and drain_at = $2 and drain_warned = $4";
    Ok(tx.run(sql, vec![id.into(), at.as_millis().into(), true.into(), false.into()]).await? > 0)
}

/// Stores the result of a check.
pub(crate) async fn note_checks(tx: &Tx, id: &str, checks: &[Check]) -> ApiResult<()> {
    tx.run("update servers set checks = $2 where id = $1", vec![id.into(), json(checks)?.into()]).await?;
    Ok(())
}

/// CA, certificate and key of a server, if it has any.
pub(crate) fn opened_tls(seal: &Seal, server: &Server) -> ApiResult<Option<(String, String, String)>> {
    let Some(sealed) = &server.tls else { return Ok(None) };
    let text = seal.open(&place(&server.id), sealed)?;
    let tls: SealedTls = serde_json::from_str(text.expose()).map_err(ApiError::internal)?;
    Ok(Some((tls.ca, tls.cert, tls.key)))
}

pub(super) fn sealed(seal: &Seal, id: &str, tls: &SealedTls) -> ApiResult<String> {
    seal.close(&place(id), &json(tls)?)
}

fn place(id: &str) -> String {
    format!("server:{id}")
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> ApiResult<String> {
    serde_json::to_string(value).map_err(ApiError::internal)
}

fn parsed<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
    serde_json::from_str(text).map_err(ApiError::internal)
}

pub(super) fn name_is_taken() -> ApiError {
    ApiError::conflict("server_name_taken", "服务器名称已经被使用").on_field("name")
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("servers_name_key_key") { name_is_taken() } else { error.into() }
}

impl TryFrom<Row> for Server {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            drain: row.drain_at.map(|at| Drain {
                at: Timestamp::from_millis(at),
                note: row.drain_note,
                warned: row.drain_warned,
            }),
            facts: row.facts.as_deref().map(parsed).transpose()?,
            checks: row.checks.as_deref().map(parsed).transpose()?.unwrap_or_default(),
            id: row.id,
            name: row.name,
            endpoint: row.endpoint,
            tls: row.tls,
            public_host: row.public_host,
            port_from: row.port_from,
            port_to: row.port_to,
            storage_path: row.storage_path,
            enabled: row.enabled,
            schedulable: row.schedulable,
            maintenance_note: row.maintenance_note,
            reserved_cpu: row.reserved_cpu,
            reserved_memory: row.reserved_memory,
            local: row.local,
            reachable: row.reachable,
            last_seen: row.last_seen.map(Timestamp::from_millis),
            created: Timestamp::from_millis(row.created),
            identity: row.identity,
            misdirected: row.misdirected,
            machine_helper: row.machine_helper,
            restart: row.restarted.map(|since| Restart {
                since: Timestamp::from_millis(since),
                revived: row.restart_revived,
                left: row.restart_left,
            }),
        })
    }
}
