//! Servers in the database, each read together with its cluster.

use db_kit::{Columns, Db, DbError, DbResult, Record, Sql, Tx, Value};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::drain::Drain;
use super::model::{Check, Restart, Server, ServerFacts};
use crate::features::clusters;

fn select() -> String {
    let columns = Server::columns_of("s");
    format!("select {columns}, {} from servers s {}", clusters::joined_columns(), clusters::JOIN)
}

/// All servers by name. A lab has at most a few hundred.
pub(crate) async fn all(db: &impl Sql) -> ApiResult<Vec<Server>> {
    Ok(db.all(&format!("{} order by s.name_key, s.id", select()), vec![]).await?)
}

pub(crate) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Server> {
    let sql = format!("{} where s.id = $1", select());
    db.first(&sql, vec![id.into()]).await?.ok_or_else(|| ApiError::not_found("服务器"))
}

/// Returns the server on the portal's own machine, if there is one.
pub(crate) async fn local(db: &impl Sql) -> DbResult<Option<Server>> {
    db.first(&format!("{} where s.local = $1", select()), vec![true.into()]).await
}

pub(super) async fn insert(tx: &Tx, server: &Server) -> ApiResult<()> {
    clusters::insert(tx, &server.cluster).await?;
    let cluster = ("cluster_id", server.cluster.id.as_str().into());
    server.insert_with(tx, &[name_key(server), cluster]).await.map_err(name_taken)?;
    Ok(())
}

pub(super) async fn update(tx: &Tx, server: &Server) -> ApiResult<()> {
    server.update_with(tx, &[name_key(server)]).await.map_err(name_taken)?;
    clusters::update(tx, &server.cluster).await?;
    Ok(())
}

/// Names are compared without regard to case.
fn name_key(server: &Server) -> (&'static str, Value) {
    ("name_key", server.name.to_lowercase().into())
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
pub(super) async fn by_identity(tx: &Tx, identity: &str) -> DbResult<Option<Server>> {
    tx.first(&format!("{} where c.identity = $1", select()), vec![identity.into()]).await
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

pub(super) fn name_is_taken() -> ApiError {
    ApiError::conflict("server_name_taken", "服务器名称已经被使用").on_field("name")
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("servers_name_key_key") { name_is_taken() } else { error.into() }
}
