//! Servers in the database.

use db_kit::{Db, DbError, DbResult, Record, Sql, Tx, Value};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::drain::Drain;
use super::form::SealedTls;
use super::model::{Check, Restart, Server, ServerFacts};
use crate::seal::Seal;

/// All servers by name. A lab has at most a few hundred.
pub(crate) async fn all(db: &impl Sql) -> ApiResult<Vec<Server>> {
    Ok(db.all(&format!("{} order by name_key, id", Server::select()), vec![]).await?)
}

pub(crate) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Server> {
    Server::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("服务器"))
}

/// Returns the server on the portal's own machine, if there is one.
pub(crate) async fn local(db: &impl Sql) -> DbResult<Option<Server>> {
    db.first(&format!("{} where local = $1", Server::select()), vec![true.into()]).await
}

pub(super) async fn insert(tx: &Tx, server: &Server) -> ApiResult<u64> {
    server.insert_with(tx, &[name_key(server)]).await.map_err(name_taken)
}

pub(super) async fn update(tx: &Tx, server: &Server) -> ApiResult<u64> {
    server.update_with(tx, &[name_key(server)]).await.map_err(name_taken)
}

/// Names are compared without regard to case.
fn name_key(server: &Server) -> (&'static str, Value) {
    ("name_key", server.name.to_lowercase().into())
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
pub(super) async fn by_identity(tx: &Tx, identity: &str) -> DbResult<Option<Server>> {
    tx.first(&format!("{} where identity = $1", Server::select()), vec![identity.into()]).await
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
pub(super) async fn set_drain(tx: &Tx, id: &str, drain: Option<&Drain>) -> DbResult<()> {
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

pub(super) fn name_is_taken() -> ApiError {
    ApiError::conflict("server_name_taken", "服务器名称已经被使用").on_field("name")
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("servers_name_key_key") { name_is_taken() } else { error.into() }
}
