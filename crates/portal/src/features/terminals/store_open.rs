//! The terminals that are open, so that a kill of the portal leaves no program behind.

use db_kit::{DbResult, FromQueryResult, Sql, placeholders};
use kernel::Timestamp;

/// An abandoned terminal.
#[derive(Debug, FromQueryResult)]
pub(super) struct Left {
    pub(super) id: String,
    pub(super) instance_id: String,
    pub(super) terminal: String,
}

/// Stores an open terminal of this run.
pub(super) async fn note(
    db: &impl Sql,
    id: &str,
    portal: &str,
    instance: &str,
    terminal: &str,
    at: Timestamp,
) -> DbResult<u64> {
    let sql = "insert into open_terminals (id, portal, instance_id, terminal, seen) values ($1, $2, $3, $4, $5)";
    db.run(sql, vec![id.into(), portal.into(), instance.into(), terminal.into(), at.as_millis().into()]).await
}

/// It still looks after all of its own.
pub(super) async fn renew(db: &impl Sql, portal: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "update open_terminals set seen = $2 where portal = $1";
    db.run(sql, vec![portal.into(), at.as_millis().into()]).await
}

/// This run of the portal gives up looking after it, so that the next sweep finds it.
pub(super) async fn leave(db: &impl Sql, id: &str) -> DbResult<u64> {
    db.run("update open_terminals set portal = '', seen = 0 where id = $1", vec![id.into()]).await
}

/// It ended.
pub(super) async fn forget(db: &impl Sql, id: &str) -> DbResult<u64> {
    db.run("delete from open_terminals where id = $1", vec![id.into()]).await
}

/// How many are open in these instances.
pub(crate) async fn count_in(db: &impl Sql, instances: &[&str]) -> DbResult<i64> {
    if instances.is_empty() {
        return Ok(0);
    }
    let sql =
        format!("select count(*) as n from open_terminals where instance_id in ({})", placeholders(1, instances.len()));
    db.number(&sql, instances.iter().map(|id| (*id).into()).collect()).await
}

/// The terminals that were last renewed before this time.
pub(super) async fn left(db: &impl Sql, before: Timestamp) -> DbResult<Vec<Left>> {
    let sql = "select id, instance_id, terminal from open_terminals where seen < $1 order by id";
    db.all(sql, vec![before.as_millis().into()]).await
}
