//! Departures in the database.

use std::collections::HashSet;

use db_kit::{Columns, Db, DbResult, Filter, Record, Sql, Tx, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Page, Timestamp, UserId};

use super::model::{Departure, DepartureQuery, DepartureState};

fn select() -> String {
    let count = "select count(*) from departure_items i where i.departure_id = d.id";
    format!(
        "select {}, ({count}) as total, ({count} and i.state = 'done') as done, \
         ({count} and i.state = 'failed') as failed from departures d",
        Departure::columns_of("d")
    )
}

/// Inserts a new departure.
pub(super) async fn insert(tx: &Tx, one: &Departure) -> DbResult<u64> {
    one.insert(tx).await
}

/// A page of them, the newest first.
pub(super) async fn list(db: &Db, query: &DepartureQuery) -> ApiResult<Page<Departure>> {
    let ListParams { list, filter: query } = query;
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
    let sql = format!("{}{clause} order by d.created desc, d.id desc{limit}", select());
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from departures d{clause}"), filter.values()).await?;
    Ok(Page { items, total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Departure> {
    let sql = format!("{} where d.id = $1", select());
    db.first(&sql, vec![id.into()]).await?.ok_or_else(|| ApiError::not_found("离开记录"))
}

/// The user's departure that is not done, if any.
pub(super) async fn open_of(db: &impl Sql, user: UserId) -> DbResult<Option<Departure>> {
    db.first(&format!("{} where d.user_id = $1 and d.state <> 'done'", select()), vec![user.into()]).await
}

/// Running departures, oldest first. An unreadable plan is an error among the others.
pub(super) async fn running(db: &impl Sql) -> DbResult<Vec<DbResult<Departure>>> {
    db.each(&format!("{} where d.state = 'running' order by d.started, d.id", select()), vec![]).await
}

/// The users who are to leave when their account ends.
///
/// # Errors
/// If the database fails.
pub(super) async fn planned(db: &impl Sql) -> DbResult<Vec<UserId>> {
    db.column("select user_id from departures where state = 'planned' order by user_id", vec![]).await
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
    Ok(db.column(&sql, people.iter().map(|id| (*id).into()).collect()).await?.into_iter().collect())
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
