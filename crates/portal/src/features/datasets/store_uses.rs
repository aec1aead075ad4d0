//! Which instances had which datasets.

use std::collections::HashMap;

use db_kit::{DbResult, FromQueryResult, Record, Sql, Tx, placeholders};
use kernel::Timestamp;

/// A dataset, or a version of it, in an instance.
#[derive(Clone, Debug, Record)]
#[record(table = "dataset_uses")]
pub(super) struct Use {
    pub(super) instance_id: String,
    pub(super) instance_name: String,
    pub(super) version: Option<i64>,
    pub(super) username: String,
}

pub(super) async fn note(tx: &Tx, dataset: &str, one: &Use, at: Timestamp) -> DbResult<u64> {
    one.insert_with(tx, &[("dataset_id", dataset.into()), ("used", at.as_millis().into())]).await
}

/// An instance has other datasets from now on.
pub(crate) async fn forget_uses(tx: &Tx, instance: &str) -> DbResult<u64> {
    tx.run("delete from dataset_uses where instance_id = $1", vec![instance.into()]).await
}

/// An instance is released. That it had datasets still counts.
pub(crate) async fn end_uses(tx: &Tx, instance: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "update dataset_uses set ended = $2 where instance_id = $1 and ended is null";
    tx.run(sql, vec![instance.into(), at.as_millis().into()]).await
}

/// In instances that are not released, the newest first.
pub(super) async fn of(db: &impl Sql, dataset: &str) -> DbResult<Vec<Use>> {
    let sql = format!("{} where dataset_id = $1 and ended is null order by used desc, instance_id", Use::select());
    db.all(&sql, vec![dataset.into()]).await
}

/// How many instances had these datasets, and how many versions they have.
pub(super) async fn counts(db: &impl Sql, datasets: &[&str]) -> DbResult<HashMap<String, (i64, i64)>> {
    #[derive(Debug, FromQueryResult)]
    struct Counted {
        id: String,
        uses: i64,
        versions: i64,
    }
    if datasets.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select d.id, \
         (select count(distinct u.instance_id) from dataset_uses u where u.dataset_id = d.id) as uses, \
         (select count(*) from dataset_versions v where v.dataset_id = d.id and v.state = 'ready' \
          and v.removed_by is null) as versions \
         from datasets d where d.id in ({})",
        placeholders(1, datasets.len())
    );
    let rows: Vec<Counted> = db.all(&sql, datasets.iter().map(|id| (*id).into()).collect()).await?;
    Ok(rows.into_iter().map(|row| (row.id, (row.uses, row.versions))).collect())
}
