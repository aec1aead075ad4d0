//! Announcements in the database.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Page, PageRequest, Timestamp};

use super::model::Announcement;

const COLUMNS: &str = "id, title, content, important, author, created, updated, until";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    title: String,
    content: String,
    important: bool,
    author: String,
    created: i64,
    updated: i64,
    until: Option<i64>,
}

/// Important ones first, then the newest. `shown_at`: only those that have not ended then.
pub(super) async fn list(db: &Db, rows: PageRequest, shown_at: Option<Timestamp>) -> DbResult<Page<Announcement>> {
    let mut filter = Filter::default();
    filter.add_some("until is null or until > ?", shown_at.map(Timestamp::as_millis));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql =
        format!("select {COLUMNS} from announcements{clause} order by important desc, created desc, id desc{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from announcements{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(Announcement::from).collect(), total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Announcement> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from announcements where id = $1"), vec![id.into()]).await?;
    row.map(Announcement::from).ok_or_else(|| ApiError::not_found("公告"))
}

/// Inserts an announcement or replaces the one with its id.
pub(super) async fn put(tx: &Tx, one: &Announcement) -> DbResult<u64> {
    tx.run(
        "insert into announcements (id, title, content, important, author, created, updated, until) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (id) do update set title = excluded.title, content = excluded.content, \
         important = excluded.important, updated = excluded.updated, until = excluded.until",
        vec![
            one.id.as_str().into(),
            one.title.as_str().into(),
            one.content.as_str().into(),
            one.important.into(),
            one.author.as_str().into(),
            one.created.as_millis().into(),
            one.updated.as_millis().into(),
            one.until.map(Timestamp::as_millis).into(),
        ],
    )
    .await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from announcements where id = $1", vec![id.into()]).await
}

impl From<Row> for Announcement {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        Self {
            id: row.id,
            title: row.title,
            content: row.content,
            important: row.important,
            author: row.author,
            created: at(row.created),
            updated: at(row.updated),
            until: row.until.map(at),
        }
    }
}
