//! Joins and the engines' authority in the database.

use db_kit::{Db, DbResult, Record, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{PageRequest, Timestamp};

use super::model::Join;

/// The id of the only CA.
const AUTHORITY: &str = "lab";

/// The CA as it is stored.
#[derive(Debug, Record)]
#[record(table = "engine_authorities")]
pub(super) struct KeptAuthority {
    pub(super) certificate: String,
    /// Sealed.
    pub(super) signing_key: String,
}

/// The newest first.
pub(super) async fn list(db: &Db, rows: PageRequest) -> DbResult<(Vec<Join>, i64)> {
    let sql = format!("{} order by created desc, id desc limit $1 offset $2", Join::select());
    let found = db.all(&sql, vec![rows.limit().into(), rows.offset().into()]).await?;
    let total = db.number("select count(*) as n from joins", vec![]).await?;
    Ok((found, total))
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Join> {
    Join::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("添加记录"))
}

pub(super) async fn by_digest(db: &impl Sql, digest: &str) -> DbResult<Option<Join>> {
    db.first(&format!("{} where digest = $1", Join::select()), vec![digest.into()]).await
}

/// The number of tokens that can still start a join.
pub(super) async fn count_open(tx: &Tx, now: Timestamp) -> DbResult<i64> {
    let sql = "select count(*) as n from joins where state = 'waiting' and expires > $1";
    tx.number(sql, vec![now.as_millis().into()]).await
}

pub(super) async fn insert(tx: &Tx, join: &Join, digest: String) -> DbResult<u64> {
    join.insert_with(tx, &[("digest", digest.into())]).await
}

/// Stores a join's progress.
pub(super) async fn update(tx: &Tx, join: &Join) -> DbResult<u64> {
    join.update(tx).await
}

pub(super) async fn authority(db: &impl Sql) -> DbResult<Option<KeptAuthority>> {
    KeptAuthority::find(db, AUTHORITY.into()).await
}

pub(super) async fn keep_authority(tx: &Tx, kept: &KeptAuthority, at: Timestamp) -> DbResult<()> {
    kept.insert_with(tx, &[("id", AUTHORITY.into()), ("created", at.as_millis().into())]).await.map(drop)
}
