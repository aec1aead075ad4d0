//! Both logs in the database.

use std::net::IpAddr;
use std::time::Duration;

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, like};
use http_kit::{ApiResult, current_request_id, network_of};
use kernel::{Order, Page, PageRequest, Timestamp, UserId};

use super::model::{
    LoginEvent, LoginLog, LoginLogQuery, LoginOutcome, OperateLog, OperateLogQuery, Operation, Outcome, word,
};
use super::tally::{Due, NOBODY, OTHERS, Refused, Table};
use crate::Portal;

/// Records a sign-in or sign-out in the caller's transaction.
pub(crate) async fn record_login(tx: &Tx, at: Timestamp, event: LoginEvent<'_>) -> ApiResult<()> {
    insert_login(tx, at, event).await.map(drop)
}

#[derive(Debug, FromQueryResult)]
struct Inserted {
    id: i64,
}

async fn insert_login(tx: &Tx, at: Timestamp, event: LoginEvent<'_>) -> ApiResult<Option<i64>> {
    let row: Option<Inserted> = tx
        .first(
            "insert into login_logs (time, user_id, username, address, user_agent, action, result) \
         values ($1, $2, $3, $4, $5, $6, $7) returning id",
            vec![
                at.as_millis().into(),
                event.user.into(),
                event.username.into(),
                event.address.into(),
                event.user_agent.into(),
                word(event.action)?.into(),
                word(event.outcome)?.into(),
            ],
        )
        .await?;
    Ok(row.map(|row| row.id))
}

/// Records a refused try: as a new row, or in the count of this minute's row.
pub(crate) async fn record_refused_login(portal: &Portal, from: IpAddr, event: LoginEvent<'_>) -> ApiResult<()> {
    let (network, outcome) = (network_of(from), event.outcome);
    let refused = Refused::Login { network, username: event.username.to_owned(), outcome };
    let Some(refused) = portal.refusals().count(refused, portal.now()) else { return Ok(()) };
    let Refused::Login { network: counted, username, .. } = &refused else { return Ok(()) };
    let together = username == OTHERS;
    let user = event.user.filter(|_| !together);
    let address = if *counted == network { event.address } else { OTHERS };
    let event = LoginEvent { user, username, address, ..event };
    let inserted: ApiResult<Option<i64>> = async {
        let tx = portal.db().begin().await?;
        let id = insert_login(&tx, portal.now(), event).await?;
        tx.commit().await?;
        Ok(id)
    }
    .await;
    portal.refusals().written(&refused, inserted.as_ref().ok().copied().flatten());
    inserted.map(drop)
}

/// After this time a row is not changed any more, as it may be sealed.
const CHANGED_FOR: Duration = Duration::from_secs(80);

/// Writes numbers of repeated refusals.
pub(super) async fn set_counts(db: &Db, due: &[Due], now: Timestamp) -> DbResult<()> {
    let since = now.minus(CHANGED_FOR).as_millis();
    let tx = db.begin().await?;
    for Due { table, id, count } in due {
        let table = match table {
            Table::Logins => "login_logs",
            Table::Operations => "operate_logs",
        };
        let sql = format!("update {table} set count = $2 where id = $1 and time >= $3");
        tx.run(&sql, vec![(*id).into(), (*count).into(), since.into()]).await?;
    }
    tx.commit().await
}

/// Records a change in the transaction that makes it.
pub(crate) async fn record(tx: &Tx, at: Timestamp, operation: Operation<'_>) -> ApiResult<()> {
    insert(tx, at, &operation, Outcome::Success).await.map(drop)
}

/// Records something that is not a change of the database, with its result.
pub(crate) async fn record_outcome(tx: &Tx, at: Timestamp, operation: Operation<'_>, failed: bool) -> ApiResult<()> {
    insert(tx, at, &operation, outcome(failed)).await.map(drop)
}

/// An action of a duty.
#[derive(Clone, Debug)]
pub(crate) struct DutyCall<'a> {
    /// Its name in Chinese.
    pub(crate) duty: &'static str,
    pub(crate) action: &'static str,
    pub(crate) target: &'a str,
    pub(crate) detail: String,
    pub(crate) failed: bool,
}

/// Records a duty's action, which has no user.
pub(crate) async fn record_duty(tx: &Tx, at: Timestamp, call: DutyCall<'_>) -> ApiResult<()> {
    let row = Row {
        user: None,
        username: call.duty,
        address: "平台",
        action: call.action,
        target: call.target,
        detail: call.detail,
        result: outcome(call.failed),
        request_id: String::new(),
    };
    insert_row(tx, at, row).await.map(drop)
}

pub(super) fn outcome(failed: bool) -> Outcome {
    if failed { Outcome::Failure } else { Outcome::Success }
}

/// Records a refused or failed try: as a new row, or in the count of this minute's row.
pub(super) async fn record_failure(portal: &Portal, operation: Operation<'_>) -> ApiResult<()> {
    let (user, action) = (operation.actor.id, operation.action.to_owned());
    let refused = Refused::Change { user, action, target: operation.target.clone() };
    let Some(refused) = portal.refusals().count(refused, portal.now()) else { return Ok(()) };
    let Refused::Change { user, target, .. } = &refused else { return Ok(()) };
    let operation = Operation { target: target.clone(), ..operation };
    let inserted: ApiResult<Option<i64>> = async {
        let tx = portal.db().begin().await?;
        let id = if *user == NOBODY {
            insert_row(&tx, portal.now(), of_many(&operation)).await?
        } else {
            insert(&tx, portal.now(), &operation, Outcome::Failure).await?
        };
        tx.commit().await?;
        Ok(id)
    }
    .await;
    portal.refusals().written(&refused, inserted.as_ref().ok().copied().flatten());
    inserted.map(drop)
}

/// The row of refusals of many people: none of them stands for the others.
fn of_many<'a>(operation: &'a Operation<'_>) -> Row<'a> {
    Row {
        user: None,
        username: OTHERS,
        address: OTHERS,
        action: operation.action,
        target: &operation.target,
        detail: String::new(),
        result: Outcome::Failure,
        request_id: String::new(),
    }
}

/// Records an action from the command line, which has no user.
pub(crate) async fn record_local(tx: &Tx, at: Timestamp, action: &str, target: &str, detail: &str) -> ApiResult<()> {
    let row = Row {
        user: None,
        username: COMMAND_LINE,
        address: "本机",
        action,
        target,
        detail: detail.to_owned(),
        result: Outcome::Success,
        request_id: String::new(),
    };
    insert_row(tx, at, row).await.map(drop)
}

async fn insert(tx: &Tx, at: Timestamp, operation: &Operation<'_>, result: Outcome) -> ApiResult<Option<i64>> {
    let token = operation.actor.token.as_ref().map(|token| token.name.as_str());
    let row = Row {
        user: Some(operation.actor.id),
        username: &operation.actor.username,
        address: &operation.address,
        action: operation.action,
        target: &operation.target,
        detail: with_token(&operation.detail, token),
        result,
        request_id: current_request_id(),
    };
    insert_row(tx, at, row).await
}

/// The user of actions from the command line.
const COMMAND_LINE: &str = "yunlab admin";

/// A row of the operate log.
pub(super) struct Row<'a> {
    pub(super) user: Option<UserId>,
    pub(super) username: &'a str,
    pub(super) address: &'a str,
    pub(super) action: &'a str,
    pub(super) target: &'a str,
    pub(super) detail: String,
    pub(super) result: Outcome,
    pub(super) request_id: String,
}

pub(super) async fn insert_row(tx: &Tx, at: Timestamp, row: Row<'_>) -> ApiResult<Option<i64>> {
    let inserted: Option<Inserted> = tx
        .first(
            "insert into operate_logs (time, user_id, username, address, action, target, detail, result, request_id) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id",
            vec![
                at.as_millis().into(),
                row.user.into(),
                row.username.into(),
                row.address.into(),
                row.action.into(),
                row.target.into(),
                row.detail.into(),
                word(row.result)?.into(),
                row.request_id.into(),
            ],
        )
        .await?;
    Ok(inserted.map(|row| row.id))
}

/// Adds the name of the script's access token.
pub(super) fn with_token(detail: &str, token: Option<&str>) -> String {
    match token {
        Some(token) if detail.is_empty() => format!("访问令牌 {token}"),
        Some(token) => format!("{detail}；访问令牌 {token}"),
        None => detail.to_owned(),
    }
}

pub(super) async fn login_logs(db: &Db, query: &LoginLogQuery, rows: PageRequest) -> ApiResult<Page<LoginLog>> {
    let mut filter = Filter::default();
    filter
        .add_some("lower(username) = ?", lower(query.username.as_deref()))
        .add_some("address like ? escape '\\'", starts(query.ip.as_deref()))
        .add_some("result = ?", query.result.map(word).transpose()?)
        .add_some("result <> ?", query.failed.unwrap_or_default().then(|| word(LoginOutcome::Success)).transpose()?)
        .add_some("time >= ?", query.from.map(Timestamp::as_millis))
        .add_some("time < ?", query.to.map(Timestamp::as_millis))
        .add_some(
            "lower(username) like ? escape '\\' or address like ? escape '\\' or lower(user_agent) like ? escape '\\'",
            lower(query.q.as_deref()).map(|words| like(&words)),
        );
    let columns = LOGIN_COLUMNS;
    let (items, total) = page::<LoginRow>(db, "login_logs", columns, &filter, query.order, rows).await?;
    Ok(Page { items: items.into_iter().map(LoginLog::from).collect(), total })
}

pub(super) async fn operate_logs(db: &Db, query: &OperateLogQuery, rows: PageRequest) -> ApiResult<Page<OperateLog>> {
    let mut filter = Filter::default();
    filter
        .add_some("lower(username) = ?", lower(query.username.as_deref()))
        .add_some("address like ? escape '\\'", starts(query.ip.as_deref()))
        .add_some("action like ? escape '\\'", starts(query.action.as_deref()))
        .add_some("result = ?", query.result.map(word).transpose()?)
        .add_some("time >= ?", query.from.map(Timestamp::as_millis))
        .add_some("time < ?", query.to.map(Timestamp::as_millis))
        .add_some(
            "lower(username) like ? escape '\\' or address like ? escape '\\' or lower(target) like ? escape '\\' \
             or lower(detail) like ? escape '\\'",
            lower(query.q.as_deref()).map(|words| like(&words)),
        );
    let columns = OPERATE_COLUMNS;
    let (items, total) = page::<OperateRow>(db, "operate_logs", columns, &filter, query.order, rows).await?;
    Ok(Page { items: items.into_iter().map(OperateLog::from).collect(), total })
}

/// The newest changes that failed.
pub(crate) async fn recent_failures(db: &Db, count: i64) -> DbResult<Vec<OperateLog>> {
    let sql = format!("select {OPERATE_COLUMNS} from operate_logs where result = 'failure' order by id desc limit $1");
    let rows: Vec<OperateRow> = db.all(&sql, vec![count.into()]).await?;
    Ok(rows.into_iter().map(OperateLog::from).collect())
}

/// The newest tries at the door.
pub(crate) async fn recent_logins(db: &Db, count: i64) -> DbResult<Vec<LoginLog>> {
    let rows: Vec<LoginRow> = db
        .all(
            &format!("select {LOGIN_COLUMNS} from login_logs where action = 'login' order by id desc limit $1"),
            vec![count.into()],
        )
        .await?;
    Ok(rows.into_iter().map(LoginLog::from).collect())
}

/// How many tries to sign in were refused since then.
pub(crate) async fn count_failed_logins(db: &Db, since: Timestamp) -> ApiResult<i64> {
    Ok(db
        .number(
            "select cast(sum(count) as bigint) as n from login_logs where time >= $1 and result <> $2",
            vec![since.as_millis().into(), word(LoginOutcome::Success)?.into()],
        )
        .await?)
}

const LOGIN_COLUMNS: &str = "id, time, user_id, username, address, user_agent, action, result, count";
const OPERATE_COLUMNS: &str = "id, time, user_id, username, address, action, target, detail, result, request_id, count";

async fn page<T: FromQueryResult + Send>(
    db: &Db,
    table: &str,
    columns: &str,
    filter: &Filter,
    order: Option<Order>,
    rows: PageRequest,
) -> DbResult<(Vec<T>, i64)> {
    let clause = filter.clause();
    let direction = order.unwrap_or(Order::Desc).sql();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("select {columns} from {table}{clause} order by time {direction}, id {direction}{limit}");
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from {table}{clause}"), filter.values()).await?;
    Ok((items, total))
}

fn lower(text: Option<&str>) -> Option<String> {
    text.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty())
}

fn starts(text: Option<&str>) -> Option<String> {
    let text = text.map(str::trim).filter(|text| !text.is_empty())?;
    Some(like(text).trim_start_matches('%').to_owned())
}

#[derive(Debug, FromQueryResult)]
struct LoginRow {
    id: i64,
    time: i64,
    user_id: Option<UserId>,
    username: String,
    address: String,
    user_agent: String,
    action: String,
    result: String,
    count: i64,
}

impl From<LoginRow> for LoginLog {
    fn from(row: LoginRow) -> Self {
        Self {
            id: row.id,
            time: Timestamp::from_millis(row.time),
            user_id: row.user_id,
            username: row.username,
            ip: row.address,
            user_agent: row.user_agent,
            action: row.action,
            result: row.result,
            count: row.count,
        }
    }
}

#[derive(Debug, FromQueryResult)]
struct OperateRow {
    id: i64,
    time: i64,
    user_id: Option<UserId>,
    username: String,
    address: String,
    action: String,
    target: String,
    detail: String,
    result: String,
    request_id: String,
    count: i64,
}

impl From<OperateRow> for OperateLog {
    fn from(row: OperateRow) -> Self {
        Self {
            id: row.id,
            time: Timestamp::from_millis(row.time),
            user_id: row.user_id,
            username: row.username,
            ip: row.address,
            action: row.action,
            target: row.target,
            detail: row.detail,
            result: row.result,
            request_id: row.request_id,
            count: row.count,
        }
    }
}
