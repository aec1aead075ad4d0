//! Datasets in the database.

use db_kit::{Db, DbError, DbResult, Filter, Record, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, UserId};

use super::model::{Dataset, DatasetQuery, DatasetState};
use crate::visibility::seen;

const SORTS: &[(&str, &str)] = &[
    ("created", "created"),
    ("changed", "changed"),
    ("name", "name_key"),
    ("size", "coalesce(size, 0)"),
    ("files", "coalesce(files, 0)"),
    ("uses", "(select count(distinct u.instance_id) from dataset_uses u where u.dataset_id = datasets.id)"),
    ("username", "lower(username)"),
];

pub(super) async fn insert(tx: &Tx, one: &Dataset) -> ApiResult<u64> {
    let further = [("name_key", one.name.to_lowercase().into()), ("recount", true.into())];
    one.insert_with(tx, &further).await.map_err(name_taken)
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("datasets_name_key_key") {
        ApiError::conflict("dataset_name_taken", "同名数据集已存在，请换一个名称").on_field("name")
    } else {
        error.into()
    }
}

/// Datasets that the actor may see: everything for administrators.
fn visible_to(actor: &Actor) -> Filter {
    let mut filter = Filter::default();
    // A condition needs a value: every dataset was made after 1970.
    filter.add("removed_by is null and created > ?", 0_i64);
    if !actor.is_admin() {
        filter.add(&seen(), actor.id);
        filter.add("state = 'ready' or user_id = ?", actor.id);
    }
    filter
}

pub(super) async fn visible(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Dataset> {
    let mut filter = visible_to(actor);
    filter.add("id = ?", id);
    let sql = format!("{}{}", Dataset::select(), filter.clause());
    db.first(&sql, filter.values()).await?.ok_or_else(|| ApiError::not_found("数据集"))
}

/// In any state, for the disk's reports; `None` when the row was deleted.
pub(super) async fn by_id(db: &impl Sql, id: &str) -> DbResult<Option<Dataset>> {
    Dataset::find(db, id.into()).await
}

/// A user's datasets by name, without those being removed.
pub(super) async fn of_owner(db: &impl Sql, user: UserId) -> DbResult<Vec<Dataset>> {
    let sql = format!("{} where user_id = $1 and removed_by is null order by name_key", Dataset::select());
    db.all(&sql, vec![user.into()]).await
}

/// Changes the owner, and has the dataset measured for them.
pub(super) async fn hand_over(tx: &Tx, id: &str, from: UserId, to: UserId, to_name: &str) -> DbResult<u64> {
    let sql = "update datasets set user_id = $3, username = $4, recount = $5 \
        where id = $1 and user_id = $2 and removed_by is null";
    tx.run(sql, vec![id.into(), from.into(), to.into(), to_name.into(), true.into()]).await
}

/// Whether the disk is to remove it.
pub(super) async fn is_being_removed(db: &impl Sql, id: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from datasets where id = $1 and removed_by is not null";
    Ok(db.number(sql, vec![id.into()]).await? > 0)
}

/// A ready dataset that the actor sees, by its folder's name.
pub(super) async fn ready_by_name(db: &impl Sql, actor: &Actor, name: &str) -> DbResult<Option<Dataset>> {
    let mut filter = visible_to(actor);
    filter.add("state = 'ready' and name = ?", name);
    db.first(&format!("{}{}", Dataset::select(), filter.clause()), filter.values()).await
}

/// A page of the datasets that the actor sees.
pub(super) async fn list(db: &Db, actor: &Actor, query: &DatasetQuery) -> ApiResult<(Vec<Dataset>, i64)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = visible_to(actor);
    filter
        .add_some(
            "name_key like ? escape '\\' or lower(title) like ? escape '\\' or lower(description) like ? escape '\\' \
             or lower(username) like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("kind = ?", query.r#type.map(Word))
        .add_some("visibility = ?", query.visibility.map(Word))
        .add_some("id in (select dataset_id from dataset_labels where label_id = ?)", query.label.as_deref())
        .add_some("user_id = ?", query.mine.unwrap_or_default().then_some(actor.id))
        .add_some("state = ?", query.ready.unwrap_or_default().then_some(Word(DatasetState::Ready)));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", Dataset::select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from datasets{clause}"), filter.values()).await?;
    Ok((found, total))
}

/// Writes down all that people change.
pub(super) async fn update(tx: &Tx, one: &Dataset) -> DbResult<u64> {
    one.update(tx).await
}

/// Hides it from now on; its row is deleted with its folder.
pub(super) async fn mark_removed(tx: &Tx, id: &str, by: UserId) -> DbResult<u64> {
    tx.run("update datasets set removed_by = $2 where id = $1", vec![id.into(), by.into()]).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from datasets where id = $1", vec![id.into()]).await
}

/// Takes the number of a new version.
pub(super) async fn set_last_version(tx: &Tx, id: &str, number: i64) -> DbResult<u64> {
    tx.run("update datasets set last_version = $2 where id = $1", vec![id.into(), number.into()]).await
}
