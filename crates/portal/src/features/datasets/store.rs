//! Datasets in the database.

use db_kit::{Db, DbError, DbResult, Filter, FromQueryResult, Sql, Tx, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, Timestamp, UserId};

use super::model::{Dataset, DatasetQuery, DatasetState, DatasetType};
use crate::visibility::{Visibility, seen};

const COLUMNS: &str = "id, name, title, description, kind, visibility, user_id, username, licence, source, cover, \
    state, fault, origin, size, files, partial, counted, last_version, created, changed";

const SORTS: &[(&str, &str)] = &[
    ("created", "created"),
    ("changed", "changed"),
    ("name", "name_key"),
    ("size", "coalesce(size, 0)"),
    ("files", "coalesce(files, 0)"),
    ("uses", "(select count(distinct u.instance_id) from dataset_uses u where u.dataset_id = datasets.id)"),
    ("username", "lower(username)"),
];

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    title: String,
    description: String,
    kind: Word<DatasetType>,
    visibility: Word<Visibility>,
    user_id: UserId,
    username: String,
    licence: String,
    source: String,
    cover: String,
    state: Word<DatasetState>,
    fault: String,
    origin: String,
    size: Option<i64>,
    files: Option<i64>,
    partial: bool,
    counted: Option<i64>,
    last_version: i64,
    created: i64,
    changed: i64,
}

pub(super) async fn insert(tx: &Tx, one: &Dataset) -> ApiResult<()> {
    let columns = "id, name, name_key, title, description, kind, visibility, user_id, username, licence, source, \
        cover, state, fault, origin, partial, recount, last_version, created, changed";
    let sql = format!("insert into datasets ({columns}) values ({})", placeholders(1, 20));
    let values = vec![
        one.id.as_str().into(),
        one.name.as_str().into(),
        one.name.to_lowercase().into(),
        one.title.as_str().into(),
        one.description.as_str().into(),
        Word(one.kind).into(),
        Word(one.visibility).into(),
        one.user.into(),
        one.username.as_str().into(),
        one.licence.as_str().into(),
        one.source.as_str().into(),
        one.cover.as_str().into(),
        Word(one.state).into(),
        one.fault.as_str().into(),
        serde_json::to_string(&one.origin).map_err(ApiError::internal)?.into(),
        one.partial.into(),
        true.into(),
        one.last_version.into(),
        one.created.as_millis().into(),
        one.changed.as_millis().into(),
    ];
    tx.run(&sql, values).await.map_err(name_taken)?;
    Ok(())
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("datasets_name_key_key") {
        ApiError::conflict("dataset_name_taken", "同名数据集已存在，请换一个名称").on_field("name")
    } else {
        error.into()
    }
}

/// Datasets that the actor may see: everything for administrators.
pub(super) fn visible_to(actor: &Actor) -> Filter {
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
    let sql = format!("select {COLUMNS} from datasets{}", filter.clause());
    let row: Option<Row> = db.first(&sql, filter.values()).await?;
    row.ok_or_else(|| ApiError::not_found("数据集"))?.try_into()
}

/// In any state, for the disk's reports; `None` when the row was deleted.
pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Option<Dataset>> {
    let sql = format!("select {COLUMNS} from datasets where id = $1");
    let row: Option<Row> = db.first(&sql, vec![id.into()]).await?;
    row.map(Dataset::try_from).transpose()
}

/// A user's datasets by name, without those being removed.
pub(super) async fn of_owner(db: &impl Sql, user: UserId) -> ApiResult<Vec<Dataset>> {
    let sql = format!("select {COLUMNS} from datasets where user_id = $1 and removed_by is null order by name_key");
    let rows: Vec<Row> = db.all(&sql, vec![user.into()]).await?;
    rows.into_iter().map(Dataset::try_from).collect()
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
pub(super) async fn ready_by_name(db: &impl Sql, actor: &Actor, name: &str) -> ApiResult<Option<Dataset>> {
    let mut filter = visible_to(actor);
    filter.add("state = 'ready' and name = ?", name);
    let sql = format!("select {COLUMNS} from datasets{}", filter.clause());
    let row: Option<Row> = db.first(&sql, filter.values()).await?;
    row.map(Dataset::try_from).transpose()
}

/// A page of the datasets that the actor sees.
pub(super) async fn list(db: &Db, actor: &Actor, query: &DatasetQuery) -> ApiResult<(Vec<Dataset>, i64)> {
    let list = ListQuery::from(query);
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
    let sql = format!("select {COLUMNS} from datasets{clause} order by {column} {direction}, id {direction}{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from datasets{clause}"), filter.values()).await?;
    Ok((found.into_iter().map(Dataset::try_from).collect::<ApiResult<_>>()?, total))
}

/// Writes down all that people change.
pub(super) async fn update(tx: &Tx, one: &Dataset) -> DbResult<u64> {
    let sql = "update datasets set title = $2, description = $3, kind = $4, visibility = $5, licence = $6, \
        source = $7, cover = $8, changed = $9 where id = $1";
    let values = vec![
        one.id.as_str().into(),
        one.title.as_str().into(),
        one.description.as_str().into(),
        Word(one.kind).into(),
        Word(one.visibility).into(),
        one.licence.as_str().into(),
        one.source.as_str().into(),
        one.cover.as_str().into(),
        one.changed.as_millis().into(),
    ];
    tx.run(sql, values).await
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

impl TryFrom<Row> for Dataset {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            kind: row.kind.0,
            visibility: row.visibility.0,
            state: row.state.0,
            origin: serde_json::from_str(&row.origin).map_err(ApiError::internal)?,
            id: row.id,
            name: row.name,
            title: row.title,
            description: row.description,
            user: row.user_id,
            username: row.username,
            licence: row.licence,
            source: row.source,
            cover: row.cover,
            fault: row.fault,
            size: row.size,
            files: row.files,
            partial: row.partial,
            counted: row.counted.map(Timestamp::from_millis),
            last_version: row.last_version,
            created: Timestamp::from_millis(row.created),
            changed: Timestamp::from_millis(row.changed),
        })
    }
}
