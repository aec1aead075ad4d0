//! Servers in the database, each read together with its cluster.

use db_kit::{Db, DbError, DbResult, FromQueryResult, Sql, Tx, Value};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use serde::de::DeserializeOwned;

use super::drain::Drain;
use super::model::{Check, Restart, Server, ServerFacts};
use crate::features::clusters::{self, Cluster};

const COLUMNS: &str = "id, name, cluster_id, public_host, port_from, port_to, storage_path, enabled, schedulable, \
    maintenance_note, reserved_cpu, reserved_memory, local, reachable, facts, checks, last_seen, created, \
    machine_helper, restarted, restart_revived, restart_left, \
    drain_at, drain_note, drain_warned";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    cluster_id: String,
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
    let clusters = clusters::all(db).await?;
    // A server that was removed between the two statements has no cluster any more.
    let known = |row: Row| clusters.get(&row.cluster_id).cloned().map(|cluster| (row, cluster));
    rows.into_iter().filter_map(known).map(server).collect()
}

pub(crate) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Server> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from servers where id = $1"), vec![id.into()]).await?;
    with_cluster(db, row).await?.ok_or_else(|| ApiError::not_found("服务器"))
}

async fn with_cluster(db: &impl Sql, row: Option<Row>) -> ApiResult<Option<Server>> {
    let Some(row) = row else { return Ok(None) };
    let cluster = clusters::by_id(db, &row.cluster_id).await?;
    cluster.map(|cluster| server((row, cluster))).transpose()
}

/// Returns the server on the portal's own machine, if there is one.
pub(crate) async fn local(db: &impl Sql) -> ApiResult<Option<Server>> {
    let sql = format!("select {COLUMNS} from servers where local = $1");
    let row: Option<Row> = db.first(&sql, vec![true.into()]).await?;
    with_cluster(db, row).await
}

pub(super) async fn insert(tx: &Tx, server: &Server) -> ApiResult<()> {
    clusters::insert(tx, &server.cluster).await?;
    let mut values = changeable(server);
    let cluster = server.cluster.id.as_str();
    values.extend([server.local.into(), server.created.as_millis().into(), false.into(), cluster.into()]);
    let sql = "insert into servers (id, name, name_key, public_host, port_from, port_to, storage_path, enabled, \
        schedulable, maintenance_note, reserved_cpu, reserved_memory, machine_helper, local, created, reachable, \
        cluster_id) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    tx.run(sql, values).await.map_err(name_taken)?;
    Ok(())
}

pub(super) async fn update(tx: &Tx, server: &Server) -> ApiResult<()> {
    let sql = "update servers set name = $2, name_key = $3, public_host = $4, port_from = $5, port_to = $6, \
        storage_path = $7, enabled = $8, schedulable = $9, maintenance_note = $10, reserved_cpu = $11, \
        reserved_memory = $12, machine_helper = $13 where id = $1";
    tx.run(sql, changeable(server)).await.map_err(name_taken)?;
    Ok(clusters::update(tx, &server.cluster).await?)
}

fn changeable(server: &Server) -> Vec<Value> {
    vec![
        server.id.as_str().into(),
        server.name.as_str().into(),
        server.name.to_lowercase().into(),
        server.public_host.as_str().into(),
        server.port_from.into(),
        server.port_to.into(),
        server.storage_path.as_str().into(),
        server.enabled.into(),
        server.schedulable.into(),
        server.maintenance_note.as_str().into(),
        server.reserved_cpu.into(),
        server.reserved_memory.into(),
        server.machine_helper.into(),
    ]
}

/// Deletes a server, and its cluster with the keys.
pub(super) async fn delete(tx: &Tx, server: &Server) -> DbResult<u64> {
    tx.run("delete from servers where id = $1", vec![server.id.as_str().into()]).await?;
    clusters::delete(tx, &server.cluster.id).await
}

/// Whether a server is called so, in capital or small letters.
pub(super) async fn has_name(db: &impl Sql, name: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from servers where name_key = $1";
    Ok(db.number(sql, vec![name.to_lowercase().into()]).await? > 0)
}

/// The engine answered.
pub(crate) async fn note_answer(tx: &Tx, server: &Server, facts: &ServerFacts, at: Timestamp) -> ApiResult<()> {
    let sql = "update servers set reachable = $2, facts = $3, last_seen = $4 where id = $1";
    tx.run(sql, vec![server.id.as_str().into(), true.into(), json(facts)?.into(), at.as_millis().into()]).await?;
    clusters::note_misdirected(tx, &server.cluster.id, "").await?;
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
pub(crate) async fn note_silence(db: &Db, server: &Server) -> DbResult<()> {
    let tx = db.begin().await?;
    note_unreachable(&tx, server, "").await?;
    tx.commit().await
}

/// Returns the server with this engine identity.
pub(super) async fn by_identity(tx: &Tx, identity: &str) -> ApiResult<Option<Server>> {
    let Some(cluster) = clusters::id_by_identity(tx, identity).await? else { return Ok(None) };
    let sql = format!("select {COLUMNS} from servers where cluster_id = $1");
    let row: Option<Row> = tx.first(&sql, vec![cluster.into()]).await?;
    with_cluster(tx, row).await
}

/// Forgets which engine is the server's, so that another server can have it in the same transaction.
pub(super) async fn forget_identity(tx: &Tx, server: &Server) -> DbResult<()> {
    // Its row is locked before its cluster's, as everywhere.
    tx.run("update servers set cluster_id = cluster_id where id = $1", vec![server.id.as_str().into()]).await?;
    clusters::note_identity(tx, &server.cluster, None).await?;
    Ok(())
}

/// Its address leads to an engine that is not its own.
pub(super) async fn note_misdirected(tx: &Tx, server: &Server, why: &str) -> DbResult<()> {
    note_unreachable(tx, server, why).await
}

async fn note_unreachable(tx: &Tx, server: &Server, misdirected: &str) -> DbResult<()> {
    let sql = "update servers set reachable = $2 where id = $1";
    tx.run(sql, vec![server.id.as_str().into(), false.into()]).await?;
    clusters::note_misdirected(tx, &server.cluster.id, misdirected).await?;
    Ok(())
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

fn server((row, cluster): (Row, Cluster)) -> ApiResult<Server> {
    Ok(Server {
        cluster,
        drain: row.drain_at.map(|at| Drain {
            at: Timestamp::from_millis(at),
            note: row.drain_note,
            warned: row.drain_warned,
        }),
        facts: row.facts.as_deref().map(parsed).transpose()?,
        checks: row.checks.as_deref().map(parsed).transpose()?.unwrap_or_default(),
        id: row.id,
        name: row.name,
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
        machine_helper: row.machine_helper,
        restart: row.restarted.map(|since| Restart {
            since: Timestamp::from_millis(since),
            revived: row.restart_revived,
            left: row.restart_left,
        }),
    })
}
