//! Levels in the database.

use std::time::Duration;

use db_kit::{DbResult, FromQueryResult, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::model::{Level, LevelRow, SpaceHolder};

const COLUMNS: &str = "holder, used, quota, counted, gap, grew, told, full_since";
/// Well below the databases' limit of parameters.
const AT_ONCE: usize = 500;

#[derive(Debug, FromQueryResult)]
struct Row {
    holder: String,
    used: i64,
    quota: i64,
    counted: i64,
    gap: i64,
    grew: bool,
    told: Word<Level>,
    full_since: Option<i64>,
}

impl TryFrom<Row> for LevelRow {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        let unknown = || ApiError::internal(format!("a stored holder is unknown: {}", row.holder));
        Ok(Self {
            holder: SpaceHolder::parse(&row.holder).ok_or_else(unknown)?,
            used: row.used.unsigned_abs(),
            quota: row.quota.unsigned_abs(),
            counted: Timestamp::from_millis(row.counted),
            gap: Duration::from_millis(row.gap.unsigned_abs()),
            grew: row.grew,
            told: row.told.0,
            full_since: row.full_since.map(Timestamp::from_millis),
        })
    }
}

/// The rows of these keys that exist.
pub(super) async fn of(db: &impl Sql, keys: &[String]) -> ApiResult<Vec<LevelRow>> {
    let mut found = Vec::new();
    for part in keys.chunks(AT_ONCE) {
        let sql = format!("select {COLUMNS} from disk_levels where holder in ({})", placeholders(1, part.len()));
        let rows: Vec<Row> = db.all(&sql, part.iter().map(|key| key.as_str().into()).collect()).await?;
        for row in rows {
            found.push(row.try_into()?);
        }
    }
    Ok(found)
}

/// Rows that were full at a last count not before `not_before`.
pub(super) async fn full(db: &impl Sql, not_before: Timestamp) -> ApiResult<Vec<LevelRow>> {
    let sql =
        format!("select {COLUMNS} from disk_levels where full_since is not null and counted >= $1 order by holder");
    let rows: Vec<Row> = db.all(&sql, vec![not_before.as_millis().into()]).await?;
    rows.into_iter().map(LevelRow::try_from).collect()
}

pub(super) async fn put(tx: &Tx, row: &LevelRow) -> DbResult<u64> {
    let whole = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let sql = format!(
        "insert into disk_levels ({COLUMNS}) values ({}) on conflict (holder) do update set used = excluded.used, \
         quota = excluded.quota, counted = excluded.counted, gap = excluded.gap, grew = excluded.grew, \
         told = excluded.told, full_since = excluded.full_since, \
         gone_on = case when excluded.full_since is null then null else disk_levels.gone_on end",
        placeholders(1, 8)
    );
    let values = vec![
        row.holder.key().into(),
        whole(row.used).into(),
        whole(row.quota).into(),
        row.counted.as_millis().into(),
        i64::try_from(row.gap.as_millis()).unwrap_or(i64::MAX).into(),
        row.grew.into(),
        Word(row.told).into(),
        row.full_since.map(Timestamp::as_millis).into(),
    ];
    tx.run(&sql, values).await
}

/// Restarts the full period of a full row, as not growing.
pub(super) async fn restart_grace(tx: &Tx, key: &str, now: Timestamp) -> DbResult<()> {
    let sql = "update disk_levels set full_since = $2, grew = $3 where holder = $1 and full_since is not null";
    tx.run(sql, vec![key.into(), now.as_millis().into(), false.into()]).await.map(drop)
}

#[derive(Debug, FromQueryResult)]
struct GoneOn {
    gone_on: Option<i64>,
}

/// When the owner last resumed the instance with a full root, unless there was space since.
pub(super) async fn gone_on(db: &impl Sql, key: &str) -> DbResult<Option<Timestamp>> {
    let rows: Vec<GoneOn> = db.all("select gone_on from disk_levels where holder = $1", vec![key.into()]).await?;
    Ok(rows.into_iter().find_map(|row| row.gone_on).map(Timestamp::from_millis))
}

pub(super) async fn set_gone_on(tx: &Tx, key: &str, now: Timestamp) -> DbResult<()> {
    let sql = "update disk_levels set gone_on = $2 where holder = $1";
    tx.run(sql, vec![key.into(), now.as_millis().into()]).await.map(drop)
}
