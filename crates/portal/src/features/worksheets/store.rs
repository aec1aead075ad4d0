//! Work orders in the database.

use db_kit::{Columns, Db, DbResult, Filter, Record, Sql, Tx, Word, like};
use http_kit::{ApiResult, ListParams};
use kernel::{Actor, Timestamp, UserId};

use super::model::{Worksheet, WorksheetCounts, WorksheetFilter, WorksheetPriority, WorksheetQuery};
use super::state::WorksheetState;
use crate::features::{groups, users};

/// How much of an order the reader has seen. `placeholder`: the reader's id.
fn seen_by(placeholder: usize) -> String {
    format!(
        "coalesce((select r.news from worksheet_reads r where r.worksheet_id = w.id and r.user_id = ${placeholder}), -1)"
    )
}

/// In the order of work, not of the alphabet.
const BY_STATE: &str = "case w.state when 'undo' then 0 when 'doing' then 1 when 'done' then 2 else 3 end";

const SORTS: &[(&str, &str)] = &[
    ("Updated", "w.updated"),
    ("Created", "w.created"),
    ("number", "w.number"),
    ("priority", "w.priority"),
    ("state", BY_STATE),
];

/// A page of a list, with the total.
pub(super) struct Found {
    pub(super) worksheets: Vec<Worksheet>,
    pub(super) total: i64,
    pub(super) counts: WorksheetCounts,
}

/// The actor's own orders, and those filed by members of groups that the actor leads; all for administrators.
pub(super) async fn list(db: &Db, actor: &Actor, query: &WorksheetQuery) -> ApiResult<Found> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let column = list.column(SORTS)?;
    let direction = list.order.unwrap_or(kernel::Order::Desc).sql();
    let mut filter = filter(actor, query, list.words().as_deref());
    let counts = counts(db, &filter).await?;
    filter.add_some("w.state = ?", query.state.map(Word));
    if let Some(open) = query.open {
        filter.add("(w.state in ('undo', 'doing')) = ?", open);
    }
    let clause = filter.clause();
    let (limit, mut values) = filter.limited(rows.limit(), rows.offset());
    values.push(actor.id.into());
    let seen = seen_by(values.len());
    let columns = Worksheet::columns_of("w");
    let sql = format!(
        "select {columns}, {seen} as seen from worksheets w{clause} order by {column} {direction}, w.number {direction}{limit}"
    );
    let worksheets = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from worksheets w{clause}"), filter.values()).await?;
    Ok(Found { worksheets, total, counts })
}

/// All conditions of the query except the state.
fn filter(actor: &Actor, query: &WorksheetFilter, words: Option<&str>) -> Filter {
    let mut filter = Filter::default();
    if query.mine.unwrap_or_default() {
        filter.add("w.requester_id = ?", actor.id);
    } else if !actor.is_admin() {
        let led = groups::led_since("w.requester_id", "w.created");
        filter.add(&format!("w.requester_id = ? or {led}"), actor.id);
    }
    filter
        .add_some("w.kind = ?", query.kind.map(Word))
        .add_some("w.priority = ?", query.priority.map(WorksheetPriority::rank))
        .add_some("w.requester_id = ?", query.requester)
        .add_some("w.handler_id = ?", query.handler);
    let number = words.and_then(|words| words.trim_start_matches('#').parse::<i64>().ok());
    if let (Some(number), true) = (number, words.is_some_and(|words| words.starts_with('#'))) {
        filter.add("w.number = ?", number);
    } else if let Some(words) = words {
        // Compared as text, so that both can share one parameter.
        let found = format!(
            "lower(w.title) like ? escape '\\' or cast(w.number as text) like ? escape '\\' or w.requester_id in ({})",
            users::NAMED_LIKE
        );
        filter.add(&found, like(words));
    }
    filter
}

async fn counts(db: &Db, filter: &Filter) -> DbResult<WorksheetCounts> {
    let sql = format!("select w.state, count(*) as n from worksheets w{} group by w.state", filter.clause());
    let counted: Vec<(Word<WorksheetState>, i64)> = db.pairs(&sql, filter.values()).await?;
    let of = |state| counted.iter().find(|(word, _)| word.0 == state).map_or(0, |(_, n)| *n);
    Ok(WorksheetCounts {
        undo: of(WorksheetState::Undo),
        doing: of(WorksheetState::Doing),
        done: of(WorksheetState::Done),
        closed: of(WorksheetState::Closed),
    })
}

/// The number of open orders, of all users or one.
pub(crate) async fn count_open(db: &impl Sql, requester: Option<UserId>) -> DbResult<i64> {
    let mut filter = Filter::default();
    filter.add_some("requester_id = ?", requester);
    let whose = filter.clause().replace(" where ", " and ");
    let sql = format!("select count(*) as n from worksheets where state in ('undo', 'doing'){whose}");
    db.number(&sql, filter.values()).await
}

/// The number of the user's own orders with unseen news.
pub(super) async fn count_unread(db: &impl Sql, user: UserId) -> DbResult<i64> {
    let seen = seen_by(1);
    let sql = format!("select count(*) as n from worksheets w where w.requester_id = $1 and w.news > {seen}");
    db.number(&sql, vec![user.into()]).await
}

/// As `reader` has seen it.
pub(super) async fn by_id(db: &impl Sql, id: &str, reader: UserId) -> DbResult<Option<Worksheet>> {
    let (columns, seen) = (Worksheet::columns_of("w"), seen_by(2));
    let sql = format!("select {columns}, {seen} as seen from worksheets w where w.id = $1");
    db.first(&sql, vec![id.into(), reader.into()]).await
}

/// Inserts an order and returns its number.
pub(super) async fn insert(tx: &Tx, one: &Worksheet) -> DbResult<i64> {
    let (sql, values) = one.insertion(&[])?;
    tx.number(&format!("{sql} returning number as n"), values).await
}

/// Stores the fields that can change.
pub(super) async fn save(tx: &Tx, one: &Worksheet) -> DbResult<u64> {
    one.update(tx).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from worksheets where id = $1", vec![id.into()]).await
}

/// Closes the orders of a deleted user.
pub(crate) async fn close_of_user(tx: &Tx, user: UserId, at: Timestamp) -> DbResult<u64> {
    let sql = "update worksheets set state = 'closed', updated = $2 \
        where requester_id = $1 and state in ('undo', 'doing')";
    tx.run(sql, vec![user.into(), at.as_millis().into()]).await
}
