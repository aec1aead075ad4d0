//! Work orders in the database.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, Timestamp, UserId};

use super::model::{
    Named, Worksheet, WorksheetCounts, WorksheetDecision, WorksheetKind, WorksheetPriority, WorksheetQuery,
};
use super::state::WorksheetState;
use crate::features::{groups, users};

const COLUMNS: &str = "w.number, w.id, w.kind, w.title, w.content, w.attachments, w.state, w.priority, \
    w.requester_id, w.requester, w.handler_id, w.handler, w.instance_id, w.instance, w.figures, w.decision, w.news, \
    w.created, w.updated";

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

#[derive(Debug, FromQueryResult)]
struct Row {
    number: i64,
    id: String,
    kind: Word<WorksheetKind>,
    title: String,
    content: String,
    attachments: String,
    state: Word<WorksheetState>,
    priority: i64,
    requester_id: UserId,
    requester: String,
    handler_id: Option<UserId>,
    handler: String,
    instance_id: String,
    instance: String,
    figures: String,
    decision: Option<Word<WorksheetDecision>>,
    news: i64,
    seen: i64,
    created: i64,
    updated: i64,
}

#[derive(Debug, FromQueryResult)]
struct Counted {
    state: Word<WorksheetState>,
    n: i64,
}

/// A page of a list, with the total.
pub(super) struct Found {
    pub(super) worksheets: Vec<Worksheet>,
    pub(super) total: i64,
    pub(super) counts: WorksheetCounts,
}

/// The actor's own orders, and those filed by members of groups that the actor leads; all for administrators.
pub(super) async fn list(db: &Db, actor: &Actor, query: &WorksheetQuery) -> ApiResult<Found> {
    let list = ListQuery::from(query);
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
    let sql = format!(
        "select {COLUMNS}, {seen} as seen from worksheets w{clause} order by {column} {direction}, w.number {direction}{limit}"
    );
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from worksheets w{clause}"), filter.values()).await?;
    let worksheets = found.into_iter().map(Worksheet::try_from).collect::<ApiResult<_>>()?;
    Ok(Found { worksheets, total, counts })
}

/// All conditions of the query except the state.
fn filter(actor: &Actor, query: &WorksheetQuery, words: Option<&str>) -> Filter {
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

async fn counts(db: &Db, filter: &Filter) -> ApiResult<WorksheetCounts> {
    let sql = format!("select w.state, count(*) as n from worksheets w{} group by w.state", filter.clause());
    let counted: Vec<Counted> = db.all(&sql, filter.values()).await?;
    let of = |state: WorksheetState| counted.iter().find(|row| row.state.0 == state).map_or(0, |row| row.n);
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
pub(super) async fn by_id(db: &impl Sql, id: &str, reader: UserId) -> ApiResult<Option<Worksheet>> {
    let sql = format!("select {COLUMNS}, {} as seen from worksheets w where w.id = $1", seen_by(2));
    let row: Option<Row> = db.first(&sql, vec![id.into(), reader.into()]).await?;
    row.map(Worksheet::try_from).transpose()
}

/// Inserts an order and returns its number.
pub(super) async fn insert(tx: &Tx, one: &Worksheet) -> ApiResult<i64> {
    let (instance_id, instance) = one.instance.clone().unwrap_or_default();
    tx.number(
        "insert into worksheets (id, kind, title, content, attachments, state, priority, requester_id, requester, \
         handler, instance_id, instance, figures, news, created, updated) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', $10, $11, $12, $13, $14, $15) returning number as n",
        vec![
            one.id.as_str().into(),
            Word(one.kind).into(),
            one.title.as_str().into(),
            one.content.as_str().into(),
            serde_json::to_string(&one.attachments).map_err(ApiError::internal)?.into(),
            Word(one.state).into(),
            one.priority.rank().into(),
            one.requester.id.into(),
            one.requester.username.as_str().into(),
            instance_id.into(),
            instance.into(),
            serde_json::to_string(&one.figures).map_err(ApiError::internal)?.into(),
            one.news.into(),
            one.created.as_millis().into(),
            one.updated.as_millis().into(),
        ],
    )
    .await
    .map_err(ApiError::from)
}

/// Stores the fields that can change.
pub(super) async fn save(tx: &Tx, one: &Worksheet) -> ApiResult<()> {
    let handler = one.handler.as_ref();
    tx.run(
        "update worksheets set title = $2, content = $3, state = $4, priority = $5, handler_id = $6, handler = $7, \
         figures = $8, decision = $9, news = $10, updated = $11 where id = $1",
        vec![
            one.id.as_str().into(),
            one.title.as_str().into(),
            one.content.as_str().into(),
            Word(one.state).into(),
            one.priority.rank().into(),
            handler.map(|handler| handler.id).into(),
            handler.map_or("", |handler| handler.username.as_str()).into(),
            serde_json::to_string(&one.figures).map_err(ApiError::internal)?.into(),
            one.decision.map(Word).into(),
            one.news.into(),
            one.updated.as_millis().into(),
        ],
    )
    .await?;
    Ok(())
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

impl TryFrom<Row> for Worksheet {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            number: row.number,
            id: row.id,
            kind: row.kind.0,
            title: row.title,
            content: row.content,
            attachments: serde_json::from_str(&row.attachments).map_err(ApiError::internal)?,
            state: row.state.0,
            priority: WorksheetPriority::from_rank(row.priority)?,
            requester: Named { id: row.requester_id, username: row.requester },
            handler: row.handler_id.map(|id| Named { id, username: row.handler }),
            instance: (!row.instance_id.is_empty()).then_some((row.instance_id, row.instance)),
            figures: serde_json::from_str(&row.figures).map_err(ApiError::internal)?,
            decision: row.decision.map(|word| word.0),
            news: row.news,
            seen: row.seen,
            created: Timestamp::from_millis(row.created),
            updated: Timestamp::from_millis(row.updated),
        })
    }
}
