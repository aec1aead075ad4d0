//! Allocations in the database.

use db_kit::{Db, DbResult, Filter, Record, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, Timestamp, UserId};

use super::access::Accesses;
use super::model::{Allocation, AllocationQuery, SubjectKind};
use crate::features::groups;

const SORTS: &[(&str, &str)] = &[
    ("created", "created"),
    ("validFrom", "coalesce(valid_from, 0)"),
    ("validUntil", "coalesce(valid_until, 9223372036854775807)"),
];

/// What a signed-in user may use.
pub(crate) async fn accesses_of(db: &impl Sql, actor: &Actor, now: Timestamp) -> ApiResult<Accesses> {
    if actor.is_admin() { Ok(Accesses::All) } else { accesses(db, actor.id, now).await }
}

async fn accesses(db: &impl Sql, user: UserId, now: Timestamp) -> ApiResult<Accesses> {
    let mut groups = groups::of_users(db, &[user]).await?;
    let groups: Vec<i64> = groups.remove(&user).unwrap_or_default().into_iter().map(|group| group.id).collect();
    Ok(Accesses::from(&all(db).await?, user, &groups, now))
}

async fn all(db: &impl Sql) -> DbResult<Vec<Allocation>> {
    db.all(&Allocation::select(), vec![]).await
}

/// Whether there is any allocation.
pub(crate) async fn are_there(db: &impl Sql) -> DbResult<bool> {
    Ok(db.number("select count(*) as n from (select id from allocations limit 1) found", vec![]).await? > 0)
}

/// The allocations of one server.
pub(super) async fn of_server(db: &impl Sql, server: &str) -> DbResult<Vec<Allocation>> {
    db.all(&format!("{} where server_id = $1", Allocation::select()), vec![server.into()]).await
}

pub(super) async fn list(db: &Db, query: &AllocationQuery) -> ApiResult<(Vec<Allocation>, i64)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    filter
        .add_some("server_id = ?", query.server.as_deref())
        .add_some("subject = ?", query.subject.map(Word))
        .add_some("subject_id = ?", query.subject_id);
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", Allocation::select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from allocations{clause}"), filter.values()).await?;
    Ok((found, total))
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Allocation> {
    Allocation::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("分配"))
}

/// Inserts an allocation or replaces the one with its id.
pub(super) async fn put(tx: &Tx, one: &Allocation) -> DbResult<u64> {
    one.put(tx).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from allocations where id = $1", vec![id.into()]).await
}

/// Ends the allocations of a deleted user.
pub(crate) async fn forget_user(tx: &Tx, user: UserId) -> DbResult<u64> {
    forget(tx, SubjectKind::User, user).await
}

/// Ends the allocations of a deleted group.
pub(super) async fn forget_group(tx: &Tx, group: i64) -> DbResult<u64> {
    forget(tx, SubjectKind::Group, group).await
}

async fn forget(tx: &Tx, subject: SubjectKind, id: i64) -> DbResult<u64> {
    let sql = "delete from allocations where subject = $1 and subject_id = $2";
    tx.run(sql, vec![Word(subject).into(), id.into()]).await
}
