//! Findings in the database.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Page, Timestamp};

use super::model::{Finding, FindingInstance, FindingKind, FindingQuery, FindingState};
use super::signs::Evidence;
use crate::features::instances::Instance;

const COLUMNS: &str = "id, instance_id, instance_name, username, server_name, image, kind, rule, detail, count, \
    first_seen, last_seen, paused, state, handler, note, handled";

const SORTS: &[(&str, &str)] =
    &[("lastSeen", "last_seen"), ("firstSeen", "first_seen"), ("count", "count"), ("username", "lower(username)")];

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    instance_id: String,
    instance_name: String,
    username: String,
    server_name: String,
    image: String,
    kind: Word<FindingKind>,
    rule: String,
    detail: String,
    count: i64,
    first_seen: i64,
    last_seen: i64,
    paused: Option<i64>,
    state: Word<FindingState>,
    handler: String,
    note: String,
    handled: Option<i64>,
}

/// The earlier state of a finding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) state: FindingState,
    pub(super) last_seen: Timestamp,
}

/// Stores evidence of an instance; returns the finding's earlier state, `None` when it is new.
pub(super) async fn note(
    tx: &Tx,
    one: &Instance,
    server: &str,
    evidence: &Evidence,
    at: Timestamp,
) -> ApiResult<Option<Before>> {
    #[derive(Debug, FromQueryResult)]
    struct Known {
        id: String,
        state: Word<FindingState>,
        last_seen: i64,
    }
    let sql = "select id, state, last_seen from findings where instance_id = $1 and kind = $2 and rule = $3";
    let (kind, rule) = (Word(evidence.kind), evidence.rule.as_str());
    let known: Option<Known> = tx.first(sql, vec![one.id.as_str().into(), kind.into(), rule.into()]).await?;
    let Some(known) = known else {
        let sql = "insert into findings (id, instance_id, instance_name, username, server_name, image, kind, rule, \
            detail, count, first_seen, last_seen, state, handler, note) \
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $10, 'open', '', '')";
        let values = vec![
            uuid::Uuid::now_v7().to_string().into(),
            one.id.as_str().into(),
            one.name.as_str().into(),
            one.username.as_str().into(),
            server.into(),
            one.image.as_str().into(),
            kind.into(),
            rule.into(),
            evidence.detail.as_str().into(),
            at.as_millis().into(),
        ];
        tx.run(sql, values).await?;
        return Ok(None);
    };
    let sql = "update findings set count = count + 1, last_seen = $2, detail = $3 where id = $1";
    tx.run(sql, vec![known.id.as_str().into(), at.as_millis().into(), evidence.detail.as_str().into()]).await?;
    Ok(Some(Before { state: known.state.0, last_seen: Timestamp::from_millis(known.last_seen) }))
}

/// Writes down that the instance was suspended for it.
pub(super) async fn note_pause(tx: &Tx, instance: &str, evidence: &Evidence, at: Timestamp) -> DbResult<u64> {
    let sql = "update findings set paused = $4 where instance_id = $1 and kind = $2 and rule = $3";
    let values =
        vec![instance.into(), Word(evidence.kind).into(), evidence.rule.as_str().into(), at.as_millis().into()];
    tx.run(sql, values).await
}

/// A page of them.
pub(super) async fn list(db: &Db, query: &FindingQuery) -> ApiResult<Page<Finding>> {
    let list = ListQuery::from(query);
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    filter
        .add_some(
            "lower(username) like ? escape '\\' or lower(instance_name) like ? escape '\\' \
             or lower(image) like ? escape '\\' or lower(rule) like ? escape '\\' or lower(detail) like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("state = ?", query.state.map(Word))
        .add_some("kind = ?", query.kind.map(Word));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("select {COLUMNS} from findings{clause} order by {column} {direction}, id {direction}{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from findings{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(Finding::from).collect(), total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Finding> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from findings where id = $1"), vec![id.into()]).await?;
    row.map(Finding::from).ok_or_else(|| ApiError::not_found("记录"))
}

/// Stores the decision on a finding; `false` when its state is not `from` any more.
pub(super) async fn decide(tx: &Tx, one: &Finding, from: FindingState) -> DbResult<bool> {
    let sql = "update findings set state = $2, handler = $3, note = $4, handled = $5 where id = $1 and state = $6";
    let values = vec![
        one.id.as_str().into(),
        Word(one.state).into(),
        one.handler.as_str().into(),
        one.note.as_str().into(),
        one.handled.map(Timestamp::as_millis).into(),
        Word(from).into(),
    ];
    Ok(tx.run(sql, values).await? > 0)
}

impl From<Row> for Finding {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        Self {
            kind: row.kind.0,
            state: row.state.0,
            id: row.id,
            // Filled by the feature of instances.
            instance: FindingInstance { id: row.instance_id, name: row.instance_name, suspended: false },
            username: row.username,
            server: row.server_name,
            image: row.image,
            rule: row.rule,
            detail: row.detail,
            count: row.count,
            first_seen: at(row.first_seen),
            last_seen: at(row.last_seen),
            paused: row.paused.map(at),
            handler: row.handler,
            note: row.note,
            handled: row.handled.map(at),
        }
    }
}
