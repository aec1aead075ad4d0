//! Folders of groups that running instances still have after their owners left the group.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::held_folders::HeldFolder;

const COLUMNS: &str =
    "id, instance_id, folder, started, since, ends_at, unmounted, still_open, back, told, problem, tried";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    instance_id: String,
    folder: String,
    started: i64,
    since: i64,
    ends_at: i64,
    unmounted: bool,
    still_open: bool,
    back: bool,
    told: Option<i64>,
    problem: String,
    tried: i64,
}

impl From<Row> for HeldFolder {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        Self {
            id: row.id,
            instance: row.instance_id,
            folder: row.folder,
            started: at(row.started),
            since: at(row.since),
            ends_at: at(row.ends_at),
            unmounted: row.unmounted,
            still_open: row.still_open,
            back: row.back,
            told: row.told.map(at),
            problem: row.problem,
            tried: at(row.tried),
        }
    }
}

/// Lists all, ordered by their end.
pub(super) async fn all(db: &impl Sql) -> DbResult<Vec<HeldFolder>> {
    let rows: Vec<Row> =
        db.all(&format!("select {COLUMNS} from held_group_folders order by ends_at, id"), vec![]).await?;
    Ok(rows.into_iter().map(HeldFolder::from).collect())
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<HeldFolder> {
    let sql = format!("select {COLUMNS} from held_group_folders where id = $1");
    let row: Option<Row> = db.first(&sql, vec![id.into()]).await?;
    row.map(HeldFolder::from).ok_or_else(|| ApiError::not_found("占用记录"))
}

/// Inserts or replaces the row of an instance and folder.
pub(super) async fn put(tx: &Tx, held: &HeldFolder) -> DbResult<()> {
    let sql = format!(
        "insert into held_group_folders ({COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
         on conflict (instance_id, folder) do update set started = excluded.started, since = excluded.since, \
         ends_at = excluded.ends_at, unmounted = excluded.unmounted, still_open = excluded.still_open, \
         back = excluded.back, told = excluded.told, problem = excluded.problem, tried = excluded.tried"
    );
    let values = vec![
        held.id.as_str().into(),
        held.instance.as_str().into(),
        held.folder.as_str().into(),
        held.started.as_millis().into(),
        held.since.as_millis().into(),
        held.ends_at.as_millis().into(),
        held.unmounted.into(),
        held.still_open.into(),
        held.back.into(),
        held.told.map(Timestamp::as_millis).into(),
        held.problem.as_str().into(),
        held.tried.as_millis().into(),
    ];
    tx.run(&sql, values).await?;
    Ok(())
}

/// Sets the end. Returns whether the row still exists.
pub(super) async fn set_end(tx: &Tx, id: &str, ends_at: Timestamp) -> DbResult<bool> {
    let sql = "update held_group_folders set ends_at = $2 where id = $1";
    Ok(tx.run(sql, vec![id.into(), ends_at.as_millis().into()]).await? > 0)
}

/// Writes the outcome of another try, but not the end, which may be changed concurrently.
pub(super) async fn note_try(tx: &Tx, held: &HeldFolder) -> DbResult<()> {
    let sql = "update held_group_folders set unmounted = $2, still_open = $3, told = $4, problem = $5, tried = $6 \
        where id = $1";
    let values = vec![
        held.id.as_str().into(),
        held.unmounted.into(),
        held.still_open.into(),
        held.told.map(Timestamp::as_millis).into(),
        held.problem.as_str().into(),
        held.tried.as_millis().into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

pub(super) async fn forget(tx: &Tx, id: &str) -> DbResult<()> {
    tx.run("delete from held_group_folders where id = $1", vec![id.into()]).await?;
    Ok(())
}
