//! Versions in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::dataset::{DatasetCount, DatasetDifference, KeptBy, version_folder};
use kernel::{Page, Timestamp, UserId};

use super::model::{Dataset, DatasetState, DatasetVersion, VersionChange, VersionKeptBy};

const COLUMNS: &str = "number, note, state, fault, size, files, kept_by, added, changed, removed, username, created";

#[derive(Debug, FromQueryResult)]
struct Row {
    number: i64,
    note: String,
    state: Word<DatasetState>,
    fault: String,
    size: Option<i64>,
    files: Option<i64>,
    kept_by: Option<Word<VersionKeptBy>>,
    added: i64,
    changed: i64,
    removed: i64,
    username: String,
    created: i64,
}

impl Row {
    fn of(self, dataset: &Dataset) -> ApiResult<DatasetVersion> {
        Ok(DatasetVersion {
            state: self.state.0,
            path: format!("/datasets/{}", version_folder(&dataset.name, self.number)),
            number: self.number,
            note: self.note,
            fault: self.fault,
            size: self.size,
            files: self.files,
            kept_by: self.kept_by.map(|word| word.0),
            added: self.added,
            changed: self.changed,
            removed: self.removed,
            username: self.username,
            created: Timestamp::from_millis(self.created),
        })
    }
}

/// The newest first.
pub(super) async fn list(db: &Db, dataset: &Dataset, query: &ListQuery) -> ApiResult<Page<DatasetVersion>> {
    let rows = query.rows()?;
    let sql = format!(
        "select {COLUMNS} from dataset_versions where dataset_id = $1 and removed_by is null order by number desc \
         limit $2 offset $3"
    );
    let values = vec![dataset.id.as_str().into(), rows.limit().into(), rows.offset().into()];
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = "select count(*) as n from dataset_versions where dataset_id = $1 and removed_by is null";
    let total = db.number(total, vec![dataset.id.as_str().into()]).await?;
    Ok(Page { items: found.into_iter().map(|row| row.of(dataset)).collect::<ApiResult<_>>()?, total })
}

pub(super) async fn one(db: &impl Sql, dataset: &Dataset, number: i64) -> ApiResult<DatasetVersion> {
    let sql =
        format!("select {COLUMNS} from dataset_versions where dataset_id = $1 and number = $2 and removed_by is null");
    let row: Option<Row> = db.first(&sql, vec![dataset.id.as_str().into(), number.into()]).await?;
    row.ok_or_else(|| ApiError::not_found("版本"))?.of(dataset)
}

pub(super) async fn difference(db: &impl Sql, dataset: &str, number: i64) -> ApiResult<Vec<VersionChange>> {
    #[derive(Debug, FromQueryResult)]
    struct Text {
        difference: String,
    }
    let sql = "select difference from dataset_versions where dataset_id = $1 and number = $2";
    let row: Option<Text> = db.first(sql, vec![dataset.into(), number.into()]).await?;
    row.map_or(Ok(Vec::new()), |row| serde_json::from_str(&row.difference).map_err(ApiError::internal))
}

/// Whether a version is being created.
pub(super) async fn is_being_made(db: &impl Sql, dataset: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from dataset_versions where dataset_id = $1 and state = 'preparing'";
    Ok(db.number(sql, vec![dataset.into()]).await? > 0)
}

pub(super) async fn insert(
    tx: &Tx,
    dataset: &str,
    (number, note): (i64, &str),
    username: &str,
    at: Timestamp,
) -> DbResult<u64> {
    let sql = "insert into dataset_versions (dataset_id, number, note, state, fault, difference, added, changed, \
        removed, username, created) values ($1, $2, $3, 'preparing', '', '[]', 0, 0, 0, $4, $5)";
    let values = vec![dataset.into(), number.into(), note.into(), username.into(), at.as_millis().into()];
    tx.run(sql, values).await
}

/// Marks a version as ready.
pub(super) async fn note_kept(
    tx: &Tx,
    dataset: &str,
    number: i64,
    count: DatasetCount,
    kept: KeptBy,
    difference: &DatasetDifference,
) -> ApiResult<()> {
    let sql = "update dataset_versions set state = 'ready', fault = '', size = $3, files = $4, kept_by = $5, \
        difference = $6, added = $7, changed = $8, removed = $9 where dataset_id = $1 and number = $2";
    let files: Vec<VersionChange> = difference
        .files
        .iter()
        .map(|file| VersionChange { path: file.path.clone(), kind: file.kind.into(), size: file.size })
        .collect();
    let number_of = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let values = vec![
        dataset.into(),
        number.into(),
        number_of(count.size).into(),
        number_of(count.files).into(),
        Word(VersionKeptBy::from(kept)).into(),
        serde_json::to_string(&files).map_err(ApiError::internal)?.into(),
        number_of(difference.added).into(),
        number_of(difference.changed).into(),
        number_of(difference.removed).into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

pub(super) async fn note_failed(tx: &Tx, dataset: &str, number: i64, fault: &str) -> DbResult<u64> {
    let sql = "update dataset_versions set state = 'failed', fault = $3 where dataset_id = $1 and number = $2";
    tx.run(sql, vec![dataset.into(), number.into(), fault.into()]).await
}

/// Hides it from now on; its row is deleted with its folder.
pub(super) async fn mark_removed(tx: &Tx, dataset: &str, number: i64, by: UserId) -> DbResult<u64> {
    let sql = "update dataset_versions set removed_by = $3 where dataset_id = $1 and number = $2";
    tx.run(sql, vec![dataset.into(), number.into(), by.into()]).await
}

pub(super) async fn delete(tx: &Tx, dataset: &str, number: i64) -> DbResult<u64> {
    let sql = "delete from dataset_versions where dataset_id = $1 and number = $2 and removed_by is not null";
    tx.run(sql, vec![dataset.into(), number.into()]).await
}

/// Whether this version is there to be read.
pub(super) async fn is_ready(db: &impl Sql, dataset: &str, number: i64) -> DbResult<bool> {
    let sql = "select count(*) as n from dataset_versions where dataset_id = $1 and number = $2 \
        and state = 'ready' and removed_by is null";
    Ok(db.number(sql, vec![dataset.into(), number.into()]).await? > 0)
}
