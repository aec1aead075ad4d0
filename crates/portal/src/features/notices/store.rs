//! Users' notices and their preferences for mail, in the database.

use std::collections::{BTreeSet, HashSet};

use db_kit::{Db, DbResult, Filter, FromQueryResult, Json, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::{Page, PageRequest, Timestamp, UserId};

use super::model::{NewNotice, NoticeGroup, NoticeGroupCount, NoticeObject, UserNotice, UserNoticeKind};

/// The rows of one statement: both databases limit its parameters.
const ROWS_AT_ONCE: usize = 500;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    kind: Word<UserNoticeKind>,
    object_kind: Word<NoticeObject>,
    object_id: String,
    title: String,
    words: String,
    link: String,
    created: i64,
    read: Option<i64>,
}

impl From<Row> for UserNotice {
    fn from(row: Row) -> Self {
        Self {
            kind: row.kind.0,
            group: row.kind.0.group(),
            object: row.object_kind.0,
            id: row.id,
            object_id: row.object_id,
            title: row.title,
            words: row.words,
            link: row.link,
            created: Timestamp::from_millis(row.created),
            read: row.read.map(Timestamp::from_millis),
        }
    }
}

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

/// Which of a person's notices are meant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Which {
    /// Only those that were not read.
    pub(super) unread: bool,
    pub(super) group: Option<NoticeGroup>,
}

impl Which {
    /// ` and …`, to follow the condition on the person.
    fn clause(self) -> String {
        let unread = if self.unread { " and read is null" } else { "" };
        let words = |group| UserNoticeKind::of_group(group).map(|kind| format!("'{}'", Word(kind))).collect::<Vec<_>>();
        let of_group = self.group.map(|group| format!(" and kind in ({})", words(group).join(", ")));
        format!("{unread}{}", of_group.unwrap_or_default())
    }
}

/// A person's notices, the latest first.
pub(super) async fn list(db: &Db, person: UserId, which: Which, rows: PageRequest) -> DbResult<Page<UserNotice>> {
    let mut filter = Filter::default();
    filter.add("user_id = ?", person);
    let clause = format!("{}{}", filter.clause(), which.clause());
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!(
        "select id, kind, object_kind, object_id, title, words, link, created, read from notices{clause} \
         order by created desc, id desc{limit}"
    );
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from notices{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(UserNotice::from).collect(), total })
}

#[derive(Debug, FromQueryResult)]
struct Counted {
    kind: Word<UserNoticeKind>,
    total: i64,
    unread: i64,
}

/// How many notices of each group a person has, without groups of which there are none.
pub(super) async fn counts(db: &impl Sql, person: UserId) -> DbResult<Vec<NoticeGroupCount>> {
    let sql = "select kind, count(*) as total, count(*) - count(read) as unread from notices where user_id = $1 \
        group by kind";
    let counted: Vec<Counted> = db.all(sql, vec![person.into()]).await?;
    let of_group = |group| {
        let rows = counted.iter().filter(|row| row.kind.0.group() == group);
        rows.fold(NoticeGroupCount { group, total: 0, unread: 0 }, |sum, row| NoticeGroupCount {
            total: sum.total + row.total,
            unread: sum.unread + row.unread,
            ..sum
        })
    };
    Ok(NoticeGroup::ALL.into_iter().map(of_group).filter(|count| count.total > 0).collect())
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

/// The same for all of a person's, or all of a group.
pub(super) async fn mark_all_read(tx: &Tx, person: UserId, group: Option<NoticeGroup>, at: Timestamp) -> DbResult<u64> {
    let which = Which { unread: true, group };
    let sql = format!("update notices set read = $1 where user_id = $2{}", which.clause());
    tx.run(&sql, vec![at.as_millis().into(), person.into()]).await
}

/// Marks a person's own among these as not read; how many were.
pub(super) async fn mark_unread(tx: &Tx, person: UserId, ids: &[String]) -> DbResult<u64> {
    let sql = format!(
        "update notices set read = null where user_id = $1 and read is not null and id in ({})",
        placeholders(2, ids.len())
    );
    let mut values = vec![person.into()];
    values.extend(ids.iter().map(|id| id.as_str().into()));
    tx.run(&sql, values).await
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

#[derive(Debug, FromQueryResult)]
struct Muted {
    user_id: UserId,
    muted: Json<BTreeSet<NoticeGroup>>,
}

/// The groups that a person does not want by mail.
pub(super) async fn muted(db: &impl Sql, person: UserId) -> ApiResult<BTreeSet<NoticeGroup>> {
    let sql = "select user_id, muted from notice_preferences where user_id = $1";
    let row: Option<Muted> = db.first(sql, vec![person.into()]).await?;
    Ok(row.map_or_else(BTreeSet::new, |row| row.muted.0))
}

/// Which of these people don't want a group by mail.
pub(super) async fn muted_by(db: &impl Sql, people: &[UserId], group: NoticeGroup) -> ApiResult<HashSet<UserId>> {
    let sql =
        format!("select user_id, muted from notice_preferences where user_id in ({})", placeholders(1, people.len()));
    let rows: Vec<Muted> = db.all(&sql, people.iter().map(|id| (*id).into()).collect()).await?;
    let muting = rows.into_iter().filter(|row| row.muted.0.contains(&group));
    Ok(muting.map(|row| row.user_id).collect())
}

pub(super) async fn put_muted(tx: &Tx, person: UserId, muted: &BTreeSet<NoticeGroup>) -> ApiResult<()> {
    let sql = "insert into notice_preferences (user_id, muted) values ($1, $2) \
        on conflict (user_id) do update set muted = excluded.muted";
    let muted = serde_json::to_string(muted).map_err(ApiError::internal)?;
    tx.run(sql, vec![person.into(), muted.into()]).await?;
    Ok(())
}
