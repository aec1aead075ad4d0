//! Allocations in the database.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, Timestamp, UserId};

use super::access::Accesses;
use super::model::{Allocation, AllocationLimits, AllocationQuery, Mode, SubjectKind};
use crate::features::groups;

const COLUMNS: &str = "id, server_id, subject, subject_id, exclusive, gpus, instance_limit, gpu_limit, cpu_limit, \
    memory_limit, valid_from, valid_until, note, created";

const SORTS: &[(&str, &str)] = &[
    ("created", "created"),
    ("validFrom", "coalesce(valid_from, 0)"),
    ("validUntil", "coalesce(valid_until, 9223372036854775807)"),
];

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    server_id: String,
    subject: Word<SubjectKind>,
    subject_id: Option<i64>,
    exclusive: bool,
    gpus: String,
    instance_limit: i64,
    gpu_limit: i64,
    cpu_limit: i64,
    memory_limit: i64,
    valid_from: Option<i64>,
    valid_until: Option<i64>,
    note: String,
    created: i64,
}

/// What a signed-in user may use.
pub(crate) async fn accesses_of(db: &impl Sql, actor: &Actor, now: Timestamp) -> ApiResult<Accesses> {
    if actor.is_admin() { Ok(Accesses::All) } else { accesses(db, actor.id, now).await }
}

async fn accesses(db: &impl Sql, user: UserId, now: Timestamp) -> ApiResult<Accesses> {
    let mut groups = groups::of_users(db, &[user]).await?;
    let groups: Vec<i64> = groups.remove(&user).unwrap_or_default().into_iter().map(|group| group.id).collect();
    Ok(Accesses::from(&all(db).await?, user, &groups, now))
}

async fn all(db: &impl Sql) -> ApiResult<Vec<Allocation>> {
    let rows: Vec<Row> = db.all(&format!("select {COLUMNS} from allocations"), vec![]).await?;
    rows.into_iter().map(Allocation::try_from).collect()
}

/// Whether there is any allocation.
pub(crate) async fn are_there(db: &impl Sql) -> DbResult<bool> {
    Ok(db.number("select count(*) as n from (select id from allocations limit 1) found", vec![]).await? > 0)
}

/// The allocations of one server.
pub(super) async fn of_server(db: &impl Sql, server: &str) -> ApiResult<Vec<Allocation>> {
    let sql = format!("select {COLUMNS} from allocations where server_id = $1");
    let rows: Vec<Row> = db.all(&sql, vec![server.into()]).await?;
    rows.into_iter().map(Allocation::try_from).collect()
}

pub(super) async fn list(db: &Db, query: &AllocationQuery) -> ApiResult<(Vec<Allocation>, i64)> {
    let list = ListQuery { page: query.page, size: query.size, sort: query.sort.clone(), order: query.order, q: None };
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    filter
        .add_some("server_id = ?", query.server.as_deref())
        .add_some("subject = ?", query.subject.map(Word))
        .add_some("subject_id = ?", query.subject_id);
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("select {COLUMNS} from allocations{clause} order by {column} {direction}, id {direction}{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from allocations{clause}"), filter.values()).await?;
    Ok((found.into_iter().map(Allocation::try_from).collect::<ApiResult<_>>()?, total))
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Allocation> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from allocations where id = $1"), vec![id.into()]).await?;
    row.ok_or_else(|| ApiError::not_found("分配"))?.try_into()
}

/// Inserts an allocation or replaces the one with its id.
pub(super) async fn put(tx: &Tx, one: &Allocation) -> ApiResult<()> {
    let millis = |at: Option<Timestamp>| at.map(Timestamp::as_millis);
    tx.run(
        "insert into allocations (id, server_id, subject, subject_id, exclusive, gpus, instance_limit, gpu_limit, \
         cpu_limit, memory_limit, valid_from, valid_until, note, created) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
         on conflict (id) do update set server_id = excluded.server_id, subject = excluded.subject, \
         subject_id = excluded.subject_id, exclusive = excluded.exclusive, gpus = excluded.gpus, \
         instance_limit = excluded.instance_limit, gpu_limit = excluded.gpu_limit, cpu_limit = excluded.cpu_limit, \
         memory_limit = excluded.memory_limit, valid_from = excluded.valid_from, \
         valid_until = excluded.valid_until, note = excluded.note",
        vec![
            one.id.as_str().into(),
            one.server.as_str().into(),
            Word(one.subject).into(),
            one.subject_id.into(),
            (one.mode == Mode::Exclusive).into(),
            serde_json::to_string(&one.gpus).map_err(ApiError::internal)?.into(),
            one.limits.instances.into(),
            one.limits.gpus.into(),
            one.limits.cpu.into(),
            one.limits.memory.into(),
            millis(one.valid_from).into(),
            millis(one.valid_until).into(),
            one.note.as_str().into(),
            one.created.as_millis().into(),
        ],
    )
    .await?;
    Ok(())
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

impl TryFrom<Row> for Allocation {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            id: row.id,
            server: row.server_id,
            subject: row.subject.0,
            subject_id: row.subject_id,
            mode: if row.exclusive { Mode::Exclusive } else { Mode::Shared },
            gpus: serde_json::from_str(&row.gpus).map_err(ApiError::internal)?,
            limits: AllocationLimits {
                instances: row.instance_limit,
                gpus: row.gpu_limit,
                cpu: row.cpu_limit,
                memory: row.memory_limit,
            },
            valid_from: row.valid_from.map(Timestamp::from_millis),
            valid_until: row.valid_until.map(Timestamp::from_millis),
            note: row.note,
            created: Timestamp::from_millis(row.created),
        })
    }
}
