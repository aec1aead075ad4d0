//! Pending chores of the disk, and its reports.

use std::collections::BTreeMap;

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::dataset::DatasetCount;
use kernel::{Timestamp, UserId};

/// The part of a dataset that the disk needs.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) user_id: UserId,
    pub(super) origin: String,
}

/// A version that is to be made.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct Wanted {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) number: i64,
    /// The last version that is ready.
    pub(super) before: Option<i64>,
}

/// The pending removals of one dataset.
#[derive(Clone, Debug)]
pub(super) struct Removal {
    pub(super) name: String,
    pub(super) owner: UserId,
    pub(super) by: UserId,
    pub(super) numbers: Vec<i64>,
    pub(super) whole: bool,
}

/// Datasets whose folder is to be created.
pub(super) async fn to_make(db: &impl Sql) -> DbResult<Vec<Named>> {
    let sql = "select id, name, user_id, origin from datasets where state = 'preparing' and removed_by is null";
    db.all(sql, vec![]).await
}

pub(super) async fn versions_to_keep(db: &impl Sql) -> DbResult<Vec<Wanted>> {
    let sql = "select d.id, d.name, v.number, (select max(b.number) from dataset_versions b \
        where b.dataset_id = d.id and b.state = 'ready' and b.removed_by is null and b.number < v.number) as before \
        from dataset_versions v join datasets d on d.id = v.dataset_id \
        where v.state = 'preparing' and v.removed_by is null and d.removed_by is null";
    db.all(sql, vec![]).await
}

/// By dataset.
pub(super) async fn to_remove(db: &impl Sql) -> DbResult<BTreeMap<String, Removal>> {
    #[derive(Debug, FromQueryResult)]
    struct Row {
        id: String,
        name: String,
        user_id: UserId,
        whole: Option<UserId>,
        number: Option<i64>,
        part: Option<UserId>,
    }
    let sql = "select d.id, d.name, d.user_id, d.removed_by as whole, v.number, v.removed_by as part \
        from datasets d left join dataset_versions v on v.dataset_id = d.id \
        where d.removed_by is not null or v.removed_by is not null order by d.id, v.number";
    let rows: Vec<Row> = db.all(sql, vec![]).await?;
    let mut removals: BTreeMap<String, Removal> = BTreeMap::new();
    for row in rows {
        let Some(by) = row.whole.or(row.part) else { continue };
        let whole = row.whole.is_some();
        let new = Removal { name: row.name, owner: row.user_id, by, numbers: Vec::new(), whole };
        removals.entry(row.id).or_insert(new).numbers.extend(row.number);
    }
    Ok(removals)
}

/// The dataset to measure next: a requested one, else the one measured longest ago, if that is older than `before`.
pub(super) async fn to_count(db: &impl Sql, before: Timestamp) -> DbResult<Option<Named>> {
    let sql = "select id, name, user_id, origin from datasets where state = 'ready' and removed_by is null \
        and (recount or counted is null or counted < $1) order by recount desc, coalesce(counted, 0), id limit 1";
    db.first(sql, vec![before.as_millis().into()]).await
}

pub(super) async fn note_made(tx: &Tx, id: &str) -> DbResult<u64> {
    let sql = "update datasets set state = 'ready', fault = '', recount = $2 where id = $1 and state = 'preparing'";
    tx.run(sql, vec![id.into(), true.into()]).await
}

pub(super) async fn note_not_made(tx: &Tx, id: &str, fault: &str) -> DbResult<u64> {
    let sql = "update datasets set state = 'failed', fault = $2 where id = $1 and state = 'preparing'";
    tx.run(sql, vec![id.into(), fault.into()]).await
}

pub(super) async fn note_count(tx: &Tx, id: &str, count: DatasetCount, at: Timestamp) -> DbResult<u64> {
    let sql = "update datasets set size = $2, files = $3, partial = $4, counted = $5, recount = $6, fault = '' \
        where id = $1";
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let values = vec![
        id.into(),
        number(count.size).into(),
        number(count.files).into(),
        (!count.whole).into(),
        at.as_millis().into(),
        false.into(),
    ];
    tx.run(sql, values).await
}

/// It could not be counted: not before the next time is it tried again.
pub(super) async fn note_not_counted(tx: &Tx, id: &str, fault: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "update datasets set fault = $2, counted = $3, recount = $4 where id = $1";
    tx.run(sql, vec![id.into(), fault.into(), at.as_millis().into(), false.into()]).await
}

pub(super) async fn want_count(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("update datasets set recount = $2 where id = $1", vec![id.into(), true.into()]).await
}

/// It could not be removed and is there again.
pub(super) async fn note_not_removed(tx: &Tx, id: &str, fault: &str) -> DbResult<u64> {
    tx.run("update datasets set removed_by = null, fault = $2 where id = $1", vec![id.into(), fault.into()]).await?;
    let sql = "update dataset_versions set removed_by = null, fault = $2 where dataset_id = $1 \
        and removed_by is not null";
    tx.run(sql, vec![id.into(), fault.into()]).await
}
