//! Findings in the database.

use db_kit::{Db, DbResult, Filter, Record, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Page, Timestamp};

use super::model::{Finding, FindingQuery, FindingState};
use super::signs::Evidence;
use crate::features::instances::Instance;

const SORTS: &[(&str, &str)] =
    &[("lastSeen", "last_seen"), ("firstSeen", "first_seen"), ("count", "count"), ("username", "lower(username)")];

/// The earlier state of a finding.
#[derive(Clone, Copy, Debug, Record)]
pub(super) struct Before {
    #[record(word)]
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
    #[derive(Debug, Record)]
    #[record(table = "findings")]
    struct Known {
        id: String,
        #[record(columns)]
        before: Before,
    }
    let sql = format!("{} where instance_id = $1 and kind = $2 and rule = $3", Known::select());
    let (kind, rule) = (Word(evidence.kind), evidence.rule.as_str());
    let known: Option<Known> = tx.first(&sql, vec![one.id.as_str().into(), kind.into(), rule.into()]).await?;
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
    Ok(Some(known.before))
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
    let ListParams { list, filter: query } = query;
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
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", Finding::select());
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from findings{clause}"), filter.values()).await?;
    Ok(Page { items, total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Finding> {
    Finding::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("记录"))
}

/// Stores the decision on a finding; `false` when its state is not `from` any more.
pub(super) async fn decide(tx: &Tx, one: &Finding, from: FindingState) -> DbResult<bool> {
    Ok(one.update_if(tx, "state = ?", Word(from).into()).await? > 0)
}
