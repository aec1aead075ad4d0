//! How many datasets and versions there may be.

use db_kit::{DbResult, Sql, Tx};
use kernel::UserId;
use kernel::dataset::DatasetLimits;

/// The row that there is.
const ONE: &str = "one";

/// The limits that the disk reported last; before, the defaults.
pub(super) async fn limits(db: &impl Sql) -> DbResult<DatasetLimits> {
    let sql = "select datasets, versions from dataset_limits where id = $1";
    let kept = db.pairs(sql, vec![ONE.into()]).await?.pop();
    let number = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
    Ok(kept.map_or_else(DatasetLimits::default, |(datasets, versions)| DatasetLimits {
        datasets: number(datasets),
        versions: number(versions),
    }))
}

pub(super) async fn put(tx: &Tx, limits: DatasetLimits) -> DbResult<u64> {
    let sql = "insert into dataset_limits (id, datasets, versions) values ($1, $2, $3) \
        on conflict (id) do update set datasets = excluded.datasets, versions = excluded.versions";
    tx.run(sql, vec![ONE.into(), i64::from(limits.datasets).into(), i64::from(limits.versions).into()]).await
}

/// The number of a user's datasets, including failed ones, without those being removed.
pub(super) async fn datasets_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    let sql = "select count(*) as n from datasets where user_id = $1 and removed_by is null";
    tx.number(sql, vec![user.into()]).await
}

/// The same of versions.
pub(super) async fn versions_of(tx: &Tx, dataset: &str) -> DbResult<i64> {
    let sql = "select count(*) as n from dataset_versions where dataset_id = $1 and removed_by is null";
    tx.number(sql, vec![dataset.into()]).await
}
