//! Departures in the database.

use std::collections::HashSet;

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Page, Timestamp, UserId};

use super::model::{Departure, DeparturePerson, DepartureQuery, DepartureState};

const SELECT: &str = "select d.id, d.user_id, d.username, d.name, d.state, d.plan, d.by_id, d.by_name, d.address, \
    d.created, d.started, d.ended, \
    (select count(*) from departure_items i where i.departure_id = d.id) as total, \
    (select count(*) from departure_items i where i.departure_id = d.id and i.state = 'done') as done, \
    (select count(*) from departure_items i where i.departure_id = d.id and i.state = 'failed') as failed \
    from departures d";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    user_id: UserId,
    username: String,
    name: String,
    state: Word<DepartureState>,
    plan: String,
    by_id: UserId,
    by_name: String,
    address: String,
    created: i64,
    started: Option<i64>,
    ended: Option<i64>,
    total: i64,
    done: i64,
    failed: i64,
}

/// Inserts a new departure.
pub(super) async fn insert(tx: &Tx, one: &Departure) -> ApiResult<()> {
    let sql = "insert into departures (id, user_id, username, name, state, plan, by_id, by_name, address, created, \
        started) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let values = vec![
        one.id.as_str().into(),
        one.user.id.into(),
        one.user.username.as_str().into(),
        one.user.name.as_str().into(),
        Word(one.state).into(),
        serde_json::to_string(&one.plan).map_err(ApiError::internal)?.into(),
        one.by_id.into(),
        one.by.as_str().into(),
        one.address.as_str().into(),
        one.created.as_millis().into(),
        one.started.map(Timestamp::as_millis).into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

/// A page of them, the newest first.
pub(super) async fn list(db: &Db, query: &DepartureQuery) -> ApiResult<Page<Departure>> {
    let list = ListQuery { page: query.page, size: query.size, q: query.q.clone(), ..ListQuery::default() };
    let rows = list.rows()?;
    let mut filter = Filter::default();
    filter
        .add_some(
            "lower(d.username) like ? escape '\\' or lower(d.name) like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("d.state = ?", query.state.map(Word));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let found: Vec<Row> =
        db.all(&format!("{SELECT}{clause} order by d.created desc, d.id desc{limit}"), values).await?;
    let total = db.number(&format!("select count(*) as n from departures d{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(Departure::try_from).collect::<ApiResult<_>>()?, total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Departure> {
    let row: Option<Row> = db.first(&format!("{SELECT} where d.id = $1"), vec![id.into()]).await?;
    row.ok_or_else(|| ApiError::not_found("离开记录"))?.try_into()
}

/// The user's departure that is not done, if any.
pub(super) async fn open_of(db: &impl Sql, user: UserId) -> ApiResult<Option<Departure>> {
    let sql = format!("{SELECT} where d.user_id = $1 and d.state <> 'done'");
    let row: Option<Row> = db.first(&sql, vec![user.into()]).await?;
    row.map(Departure::try_from).transpose()
}

/// Running departures, oldest first. An unreadable plan is an error among the others.
pub(super) async fn running(db: &impl Sql) -> DbResult<Vec<ApiResult<Departure>>> {
    let rows: Vec<Row> =
        db.all(&format!("{SELECT} where d.state = 'running' order by d.started, d.id"), vec![]).await?;
    Ok(rows.into_iter().map(Departure::try_from).collect())
}

#[derive(Debug, FromQueryResult)]
struct Leaver {
    user_id: UserId,
}

/// The users who are to leave when their account ends.
///
/// # Errors
/// If the database fails.
pub(super) async fn planned(db: &impl Sql) -> DbResult<Vec<UserId>> {
    let rows: Vec<Leaver> =
        db.all("select user_id from departures where state = 'planned' order by user_id", vec![]).await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
}

/// Which of these people leave, or are to leave when their account ends.
pub(super) async fn leaving_among(db: &impl Sql, people: &[UserId]) -> DbResult<HashSet<UserId>> {
    if people.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = format!(
        "select user_id from departures where state <> 'done' and user_id in ({})",
        placeholders(1, people.len())
    );
    let rows: Vec<Leaver> = db.all(&sql, people.iter().map(|id| (*id).into()).collect()).await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
}

/// Changes the state; `false` when it was not `from` any more.
pub(super) async fn step(
    tx: &Tx,
    id: &str,
    from: DepartureState,
    to: DepartureState,
    now: Timestamp,
) -> DbResult<bool> {
    let ended = (to == DepartureState::Done).then_some(now.as_millis());
    let sql = "update departures set state = $3, started = coalesce(started, $4), ended = $5 \
        where id = $1 and state = $2";
    let values = vec![id.into(), Word(from).into(), Word(to).into(), now.as_millis().into(), ended.into()];
    Ok(tx.run(sql, values).await? > 0)
}

/// Replaces the plan.
pub(super) async fn set_plan(tx: &Tx, one: &Departure) -> ApiResult<u64> {
    let plan = serde_json::to_string(&one.plan).map_err(ApiError::internal)?;
    let sql = "update departures set plan = $2 where id = $1";
    Ok(tx.run(sql, vec![one.id.as_str().into(), plan.into()]).await?)
}

/// Drops a plan that waits for the account's end; `false` when it does not wait any more.
pub(super) async fn cancel(tx: &Tx, id: &str) -> DbResult<bool> {
    Ok(tx.run("delete from departures where id = $1 and state = 'planned'", vec![id.into()]).await? > 0)
}

/// Drops the planned departure of a deleted account.
pub(super) async fn forget_planned(tx: &Tx, user: UserId) -> DbResult<u64> {
    tx.run("delete from departures where user_id = $1 and state = 'planned'", vec![user.into()]).await
}

impl TryFrom<Row> for Departure {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        let at = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        let plan = serde_json::from_str(&row.plan)
            .map_err(|error| ApiError::internal(format!("the plan of departure {} can't be read: {error}", row.id)))?;
        Ok(Self {
            plan,
            state: row.state.0,
            user: DeparturePerson { id: row.user_id, username: row.username, name: row.name },
            id: row.id,
            by: row.by_name,
            by_id: row.by_id,
            address: row.address,
            created: Timestamp::from_millis(row.created),
            started: at(row.started),
            ended: at(row.ended),
            total: row.total,
            done: row.done,
            failed: row.failed,
        })
    }
}
