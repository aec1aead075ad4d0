//! Users' notices and their preferences for mail, in the database.

use std::collections::{BTreeSet, HashSet};

use db_kit::{Db, DbResult, Filter, Record, Sql, Tx, Word, placeholders};
use kernel::{Page, PageRequest, Timestamp, UserId};

use super::model::{NewNotice, NoticeGroup, UserNotice};

/// The rows of one statement: both databases limit its parameters.
const ROWS_AT_ONCE: usize = 500;

/// Writes a notice for each of these people.
pub(super) async fn insert(tx: &Tx, people: &[UserId], notice: &NewNotice, at: Timestamp) -> DbResult<()> {
    for some in people.chunks(ROWS_AT_ONCE) {
        let rows: Vec<String> =
            (0..some.len()).map(|n| format!("(${}, ${}, $1, $2, $3, $4, $5, $6, $7)", 8 + 2 * n, 9 + 2 * n)).collect();
        let sql = format!(
            "insert into notices (id, user_id, kind, object_kind, object_id, title, words, link, created) values {}",
            rows.join(", ")
        );
        let mut values = vec![
            Word(notice.kind).into(),
            Word(notice.object).into(),
            notice.object_id.as_str().into(),
            notice.title.as_str().into(),
            notice.words.as_str().into(),
            notice.link.as_str().into(),
            at.as_millis().into(),
        ];
        for person in some {
            values.extend([uuid::Uuid::now_v7().to_string().into(), (*person).into()]);
        }
        tx.run(&sql, values).await?;
    }
    Ok(())
}

/// A person's notices, the latest first.
pub(super) async fn list(db: &Db, person: UserId, unread: bool, rows: PageRequest) -> DbResult<Page<UserNotice>> {
    let mut filter = Filter::default();
    filter.add("user_id = ?", person);
    let clause = format!("{}{}", filter.clause(), if unread { " and read is null" } else { "" });
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by created desc, id desc{limit}", UserNotice::select());
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from notices{clause}"), filter.values()).await?;
    Ok(Page { items, total })
}

/// How many a person has not read.
pub(super) async fn unread(db: &impl Sql, person: UserId) -> DbResult<i64> {
    db.number("select count(*) as n from notices where user_id = $1 and read is null", vec![person.into()]).await
}

/// Marks a person's own among these as read; how many were not.
pub(super) async fn mark_read(tx: &Tx, person: UserId, ids: &[String], at: Timestamp) -> DbResult<u64> {
    let sql = format!(
        "update notices set read = $1 where user_id = $2 and read is null and id in ({})",
        placeholders(3, ids.len())
    );
    let mut values = vec![at.as_millis().into(), person.into()];
    values.extend(ids.iter().map(|id| id.as_str().into()));
    tx.run(&sql, values).await
}

/// The same for all of a person's.
pub(super) async fn mark_all_read(tx: &Tx, person: UserId, at: Timestamp) -> DbResult<u64> {
    let sql = "update notices set read = $1 where user_id = $2 and read is null";
    tx.run(sql, vec![at.as_millis().into(), person.into()]).await
}

/// Removes a user's read notices; returns their number.
pub(super) async fn delete_read(tx: &Tx, person: UserId) -> DbResult<u64> {
    tx.run("delete from notices where user_id = $1 and read is not null", vec![person.into()]).await
}

/// Removes of each person all but the newest; how many.
pub(super) async fn trim(tx: &Tx, most: i64) -> DbResult<u64> {
    let sql = "delete from notices where id in (select id from \
         (select id, row_number() over (partition by user_id order by created desc, id desc) as nth from notices) ranked \
         where nth > $1)";
    tx.run(sql, vec![most.into()]).await
}

/// The groups that a person does not want by mail.
#[derive(Debug, Record)]
#[record(table = "notice_preferences", key = "user_id")]
struct Muted {
    user_id: UserId,
    #[record(json)]
    muted: BTreeSet<NoticeGroup>,
}

/// The groups that a person does not want by mail.
pub(super) async fn muted(db: &impl Sql, person: UserId) -> DbResult<BTreeSet<NoticeGroup>> {
    let row = Muted::find(db, person.into()).await?;
    Ok(row.map_or_else(BTreeSet::new, |row| row.muted))
}

/// Which of these people don't want a group by mail.
pub(super) async fn muted_by(db: &impl Sql, people: &[UserId], group: NoticeGroup) -> DbResult<HashSet<UserId>> {
    let sql = format!("{} where user_id in ({})", Muted::select(), placeholders(1, people.len()));
    let rows: Vec<Muted> = db.all(&sql, people.iter().map(|id| (*id).into()).collect()).await?;
    let muting = rows.into_iter().filter(|row| row.muted.contains(&group));
    Ok(muting.map(|row| row.user_id).collect())
}

pub(super) async fn put_muted(tx: &Tx, person: UserId, muted: BTreeSet<NoticeGroup>) -> DbResult<u64> {
    Muted { user_id: person, muted }.put(tx).await
}
