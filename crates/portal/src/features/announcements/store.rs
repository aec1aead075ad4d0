//! Announcements in the database.

use db_kit::{Db, DbResult, Filter, Record, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Page, PageRequest, Timestamp};

use super::model::Announcement;

/// Important ones first, then the newest. `shown_at`: only those that have not ended then.
pub(super) async fn list(db: &Db, rows: PageRequest, shown_at: Option<Timestamp>) -> DbResult<Page<Announcement>> {
    let mut filter = Filter::default();
    filter.add_some("until is null or until > ?", shown_at.map(Timestamp::as_millis));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by important desc, created desc, id desc{limit}", Announcement::select());
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from announcements{clause}"), filter.values()).await?;
    Ok(Page { items, total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Announcement> {
    Announcement::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("公告"))
}

/// Inserts an announcement or replaces the one with its id.
pub(super) async fn put(tx: &Tx, one: &Announcement) -> DbResult<u64> {
    one.put(tx).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from announcements where id = $1", vec![id.into()]).await
}
