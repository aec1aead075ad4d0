//! Seals in the database.

use std::future::Future;

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, Word};
use kernel::Timestamp;

use super::seal::{Kind, Seal};
use crate::features::logs::Log;

/// Returns the last seal of the chain.
pub(super) async fn last(db: &impl Sql) -> DbResult<Option<Seal>> {
    db.first(&format!("{} order by number desc limit 1", Seal::select()), vec![]).await
}

pub(super) async fn by_number(db: &impl Sql, number: i64) -> DbResult<Option<Seal>> {
    Seal::find(db, number.into()).await
}

/// Returns at most this many seals after this number.
pub(super) async fn after(db: &impl Sql, number: i64, most: i64) -> DbResult<Vec<Seal>> {
    let sql = format!("{} where number > $1 order by number limit $2", Seal::select());
    db.all(&sql, vec![number.into(), most.into()]).await
}

/// Returns the last row id that a seal of this kind covers, or 0.
pub(super) fn last_row(db: &impl Sql, log: Log, kind: Kind) -> impl Future<Output = DbResult<i64>> + Send {
    let sql = "select coalesce(max(last_id), 0) as n from audit_seals where log = $1 and kind = $2";
    db.number(sql, vec![Word(log).into(), Word(kind).into()])
}

/// Returns at most this many seals that cover rows of a log after this id.
pub(super) async fn over_rows_after(db: &impl Sql, log: Log, row: i64, most: i64) -> DbResult<Vec<Seal>> {
    let sql = format!("{} where log = $1 and kind = 'rows' and last_id > $2 order by last_id limit $3", Seal::select());
    db.all(&sql, vec![Word(log).into(), row.into(), most.into()]).await
}

pub(super) async fn count(db: &Db) -> DbResult<i64> {
    db.number("select count(*) as n from audit_seals", vec![]).await
}

pub(super) async fn insert(tx: &Tx, seal: &Seal) -> DbResult<u64> {
    seal.insert(tx).await
}

/// The cursor of a forwarding target.
#[derive(Debug, FromQueryResult)]
pub(super) struct Target {
    pub(super) number: i64,
    pub(super) at: Option<i64>,
    pub(super) error: String,
}

pub(super) async fn target(db: &impl Sql, name: &str) -> DbResult<Option<Target>> {
    db.first("select number, at, error from audit_targets where target = $1", vec![name.into()]).await
}

/// Advances the cursor of a target to this seal, or records the error after it.
pub(super) async fn note_target(db: &Db, name: &str, number: i64, at: Option<Timestamp>, error: &str) -> DbResult<()> {
    let sql = "insert into audit_targets (target, number, at, error) values ($1, $2, $3, $4) \
        on conflict (target) do update set number = excluded.number, \
        at = coalesce(excluded.at, audit_targets.at), error = excluded.error";
    let tx = db.begin().await?;
    tx.run(sql, vec![name.into(), number.into(), at.map(Timestamp::as_millis).into(), error.into()]).await?;
    tx.commit().await
}
