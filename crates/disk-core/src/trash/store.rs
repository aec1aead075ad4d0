//! The index of the trash in the database.

use std::collections::HashSet;

use db_kit::{Db, DbError, DbResult, Filter, FromQueryResult, Json, Sql, Value, placeholders};
use kernel::{Timestamp, UserId};
use uuid::Uuid;

use super::model::Deleted;

const COLUMNS: &str = "id, space, names, is_folder, size, length, home_owner, deleted_by, deleted_by_name, deleted_at";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    space: String,
    names: Json<Vec<String>>,
    is_folder: bool,
    size: i64,
    length: Option<i64>,
    home_owner: Option<i64>,
    deleted_by: i64,
    deleted_by_name: String,
    deleted_at: i64,
}

impl Row {
    fn read(self) -> DbResult<Deleted> {
        let bytes = |number: i64| u64::try_from(number).map_err(DbError::unreadable);
        Ok(Deleted {
            id: Uuid::try_parse(&self.id).map_err(DbError::unreadable)?,
            names: self.names.0,
            space: self.space,
            is_folder: self.is_folder,
            size: bytes(self.size)?,
            length: self.length.map(bytes).transpose()?,
            home_owner: self.home_owner,
            deleted_by: self.deleted_by,
            deleted_by_name: self.deleted_by_name,
            deleted_at: self.deleted_at,
        })
    }
}

/// Filter by owner.
#[derive(Clone, Copy, Debug)]
pub enum Whose {
    Everybodys,
    Of(UserId),
}

async fn rows(db: &Db, filter: &Filter, order: &str, limit: i64, offset: i64) -> DbResult<Vec<Deleted>> {
    let (paging, values) = filter.limited(limit, offset);
    let sql = format!("select {COLUMNS} from disk_trash{} order by {order}{paging}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    rows.into_iter().map(Row::read).collect()
}

fn visible(whose: Whose, since: Timestamp) -> Filter {
    let mut filter = Filter::default();
    filter.add("deleted_at > ?", since.as_millis());
    if let Whose::Of(user) = whose {
        filter.add("coalesce(home_owner, deleted_by) = ?", user);
    }
    filter
}

/// Entries deleted since `since`, newest first.
pub(super) async fn page(db: &Db, whose: Whose, since: Timestamp, limit: i64, offset: i64) -> DbResult<Vec<Deleted>> {
    rows(db, &visible(whose, since), "deleted_at desc, id desc", limit, offset).await
}

/// The total number of these entries.
pub(super) async fn count(db: &Db, whose: Whose, since: Timestamp) -> DbResult<i64> {
    let filter = visible(whose, since);
    db.number(&format!("select count(*) as n from disk_trash{}", filter.clause()), filter.values()).await
}

pub(super) async fn one(db: &Db, id: Uuid) -> DbResult<Option<Deleted>> {
    let mut filter = Filter::default();
    filter.add("id = ?", text(id));
    Ok(rows(db, &filter, "id", 1, 0).await?.pop())
}

#[derive(Debug, FromQueryResult)]
struct Id {
    id: String,
}

/// All of them.
pub(super) async fn ids(db: &Db) -> DbResult<HashSet<Uuid>> {
    let rows: Vec<Id> = db.all("select id from disk_trash", vec![]).await?;
    rows.iter().map(|row| Uuid::try_parse(&row.id).map_err(DbError::unreadable)).collect()
}

/// The oldest of these spaces.
pub(super) async fn oldest_of(db: &Db, spaces: &[String], limit: i64) -> DbResult<Vec<Deleted>> {
    if spaces.is_empty() {
        return Ok(Vec::new());
    }
    let places = placeholders(1, spaces.len());
    let sql = format!(
        "select {COLUMNS} from disk_trash where space in ({places}) order by deleted_at, id limit ${}",
        spaces.len() + 1
    );
    let values = spaces.iter().map(|space| space.as_str().into()).chain([limit.into()]).collect();
    let rows: Vec<Row> = db.all(&sql, values).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Makes entries from one space count to another, which is this person's home.
pub(super) async fn hand_over(db: &Db, from: &str, to: &str, place: Option<&[&str]>, owner: UserId) -> DbResult<()> {
    let tx = db.begin().await?;
    let rows: Vec<Row> =
        tx.all(&format!("select {COLUMNS} from disk_trash where space = $1"), vec![from.into()]).await?;
    let sql = "update disk_trash set space = $2, home_owner = $3, names = $4 where id = $1";
    for deleted in rows.into_iter().map(Row::read) {
        let deleted = deleted?;
        // Below the home that was handed over.
        let names: Vec<&str> = match place {
            Some(place) => place.iter().copied().chain(deleted.names.iter().skip(2).map(String::as_str)).collect(),
            None => deleted.names.iter().map(String::as_str).collect(),
        };
        let names = serde_json::to_string(&names).unwrap_or_default();
        tx.run(sql, vec![text(deleted.id).into(), to.into(), owner.into(), names.into()]).await?;
    }
    tx.commit().await
}

/// Entries deleted before `before`, oldest first.
pub(super) async fn older_than(db: &Db, before: Timestamp, limit: i64) -> DbResult<Vec<Deleted>> {
    let mut filter = Filter::default();
    filter.add("deleted_at <= ?", before.as_millis());
    rows(db, &filter, "deleted_at, id", limit, 0).await
}

#[derive(Debug, FromQueryResult)]
struct Held {
    space: String,
    n: i64,
}

/// Bytes in the trash by the space that they came from.
pub(super) async fn held(db: &Db) -> DbResult<Vec<(String, u64)>> {
    let sql = "select space, cast(sum(size) as bigint) as n from disk_trash group by space";
    let rows: Vec<Held> = db.all(sql, vec![]).await?;
    Ok(rows.into_iter().map(|row| (row.space, u64::try_from(row.n).unwrap_or_default())).collect())
}

/// Adds an entry unless it is there; whether it was added.
pub(super) async fn insert(db: &Db, deleted: &Deleted) -> DbResult<bool> {
    let names = serde_json::to_string(&deleted.names).unwrap_or_default();
    let values: Vec<Value> = vec![
        text(deleted.id).into(),
        deleted.space.clone().into(),
        names.into(),
        deleted.is_folder.into(),
        i64::try_from(deleted.size).unwrap_or(i64::MAX).into(),
        deleted.length.map(|length| i64::try_from(length).unwrap_or(i64::MAX)).into(),
        deleted.home_owner.into(),
        deleted.deleted_by.into(),
        deleted.deleted_by_name.clone().into(),
        deleted.deleted_at.into(),
    ];
    let sql = format!(
        "insert into disk_trash ({COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing"
    );
    let tx = db.begin().await?;
    let added = tx.run(&sql, values).await?;
    tx.commit().await?;
    Ok(added > 0)
}

/// Deletes a row; returns whether it existed.
pub(super) async fn delete(db: &Db, id: Uuid) -> DbResult<bool> {
    let tx = db.begin().await?;
    let deleted = tx.run("delete from disk_trash where id = $1", vec![text(id).into()]).await?;
    tx.commit().await?;
    Ok(deleted > 0)
}

fn text(id: Uuid) -> String {
    id.to_string()
}
