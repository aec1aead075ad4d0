//! Seals in the database.

use std::future::Future;

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::seal::{Content, Kind, Seal};
use crate::features::logs::Log;

const COLUMNS: &str = "number, kind, log, first_id, last_id, row_count, newest, time, rows_hash, previous, hash, \
    signature, kid";

#[derive(Debug, FromQueryResult)]
struct Row {
    number: i64,
    kind: Word<Kind>,
    log: Word<Log>,
    first_id: i64,
    last_id: i64,
    row_count: i64,
    newest: i64,
    time: i64,
    rows_hash: String,
    previous: String,
    hash: String,
    signature: String,
    kid: String,
}

impl TryFrom<Row> for Seal {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            content: Content {
                number: row.number,
                kind: row.kind.0,
                log: row.log.0,
                first: row.first_id,
                last: row.last_id,
                count: row.row_count,
                newest: Timestamp::from_millis(row.newest),
                time: Timestamp::from_millis(row.time),
                rows_hash: row.rows_hash,
            },
            previous: row.previous,
            hash: row.hash,
            signature: row.signature,
            kid: row.kid,
        })
    }
}

/// Returns the last seal of the chain.
pub(super) async fn last(db: &impl Sql) -> ApiResult<Option<Seal>> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from audit_seals order by number desc limit 1"), vec![]).await?;
    row.map(Seal::try_from).transpose()
}

pub(super) async fn by_number(db: &impl Sql, number: i64) -> ApiResult<Option<Seal>> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from audit_seals where number = $1"), vec![number.into()]).await?;
    row.map(Seal::try_from).transpose()
}

/// Returns at most this many seals after this number.
pub(super) async fn after(db: &impl Sql, number: i64, most: i64) -> ApiResult<Vec<Seal>> {
    let sql = format!("select {COLUMNS} from audit_seals where number > $1 order by number limit $2");
    let rows: Vec<Row> = db.all(&sql, vec![number.into(), most.into()]).await?;
    rows.into_iter().map(Seal::try_from).collect()
}

/// Returns the last row id that a seal of this kind covers, or 0.
pub(super) fn last_row(db: &impl Sql, log: Log, kind: Kind) -> impl Future<Output = DbResult<i64>> + Send {
    let sql = "select coalesce(max(last_id), 0) as n from audit_seals where log = $1 and kind = $2";
    db.number(sql, vec![Word(log).into(), Word(kind).into()])
}

/// Returns at most this many seals that cover rows of a log after this id.
pub(super) async fn over_rows_after(db: &impl Sql, log: Log, row: i64, most: i64) -> ApiResult<Vec<Seal>> {
    let sql = format!(
        "select {COLUMNS} from audit_seals where log = $1 and kind = 'rows' and last_id > $2 order by last_id limit $3"
    );
    let rows: Vec<Row> = db.all(&sql, vec![Word(log).into(), row.into(), most.into()]).await?;
    rows.into_iter().map(Seal::try_from).collect()
}

pub(super) async fn count(db: &Db) -> DbResult<i64> {
    db.number("select count(*) as n from audit_seals", vec![]).await
}

pub(super) async fn insert(tx: &Tx, seal: &Seal) -> DbResult<()> {
    let sql =
        format!("insert into audit_seals ({COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");
    let content = &seal.content;
    let values = vec![
        content.number.into(),
        Word(content.kind).into(),
        Word(content.log).into(),
        content.first.into(),
        content.last.into(),
        content.count.into(),
        content.newest.as_millis().into(),
        content.time.as_millis().into(),
        content.rows_hash.as_str().into(),
        seal.previous.as_str().into(),
        seal.hash.as_str().into(),
        seal.signature.as_str().into(),
        seal.kid.as_str().into(),
    ];
    tx.run(&sql, values).await?;
    Ok(())
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
