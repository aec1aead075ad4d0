//! Versions in the database.

use db_kit::{Db, DbResult, Record, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::dataset::{DatasetCount, DatasetDifference, KeptBy, version_folder};
use kernel::{Page, Timestamp, UserId};

use super::model::{Dataset, DatasetVersion, VersionChange, VersionKeptBy};

/// With the folder, which the row does not have.
fn placed(version: DatasetVersion, dataset: &Dataset) -> DatasetVersion {
    let path = format!("/datasets/{}", version_folder(&dataset.name, version.number));
    DatasetVersion { path, ..version }
}

/// The newest first.
pub(super) async fn list(db: &Db, dataset: &Dataset, query: &ListQuery) -> ApiResult<Page<DatasetVersion>> {
    let rows = query.rows()?;
    let sql = format!(
        "{} where dataset_id = $1 and removed_by is null order by number desc limit $2 offset $3",
        DatasetVersion::select()
    );
    let values = vec![dataset.id.as_str().into(), rows.limit().into(), rows.offset().into()];
    let found: Vec<DatasetVersion> = db.all(&sql, values).await?;
    let total = "select count(*) as n from dataset_versions where dataset_id = $1 and removed_by is null";
    let total = db.number(total, vec![dataset.id.as_str().into()]).await?;
    Ok(Page { items: found.into_iter().map(|version| placed(version, dataset)).collect(), total })
}

pub(super) async fn one(db: &impl Sql, dataset: &Dataset, number: i64) -> ApiResult<DatasetVersion> {
    let sql = format!("{} where dataset_id = $1 and number = $2 and removed_by is null", DatasetVersion::select());
    let version = db.first(&sql, vec![dataset.id.as_str().into(), number.into()]).await?;
    version.map(|version| placed(version, dataset)).ok_or_else(|| ApiError::not_found("版本"))
}

pub(super) async fn difference(db: &impl Sql, dataset: &str, number: i64) -> ApiResult<Vec<VersionChange>> {
    let sql = "select difference from dataset_versions where dataset_id = $1 and number = $2";
    let text: Option<String> = db.value(sql, vec![dataset.into(), number.into()]).await?;
    text.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(ApiError::internal))
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
