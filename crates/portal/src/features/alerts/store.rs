//! Alerts in the database.

use std::collections::BTreeMap;

use db_kit::{Db, DbResult, Filter, Record, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Page, Timestamp};

use super::model::{Alert, AlertKind, AlertQuery, AlertSeverity, AlertState};
use super::tracker::{Episode, Fault};

const SORTS: &[(&str, &str)] = &[("since", "since"), ("lastSeen", "last_seen")];

/// What an alert and an episode are made of, at some time.
#[derive(Debug, Record)]
#[record(table = "alerts")]
struct AlertRow {
    id: String,
    #[record(word)]
    kind: AlertKind,
    object: String,
    name: String,
    #[record(word)]
    severity: AlertSeverity,
    words: String,
    link: String,
    since: Timestamp,
    last_seen: Timestamp,
    resolved: Option<Timestamp>,
    #[record(word)]
    told: Option<AlertSeverity>,
    silenced_until: Option<Timestamp>,
    silenced_by: String,
}

/// Episodes that are not over.
pub(super) async fn open(db: &impl Sql, now: Timestamp) -> ApiResult<Vec<Episode>> {
    let sql = format!("{} where resolved is null order by id", AlertRow::select());
    let rows: Vec<AlertRow> = db.all(&sql, vec![]).await?;
    Ok(rows.into_iter().map(|row| row.episode(now)).collect())
}

/// Returns a page of alerts, open ones first.
pub(super) async fn list(db: &Db, query: &AlertQuery, now: Timestamp) -> ApiResult<Page<Alert>> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    let pattern = list.words().map(|words| like(&words));
    filter
        .add_some("lower(name) like ? escape '\\' or lower(words) like ? escape '\\'", pattern)
        .add_some("kind = ?", query.kind.map(Word));
    let at = now.as_millis();
    match query.state {
        Some(AlertState::Firing) => filter.add("resolved is null and coalesce(silenced_until, 0) <= ?", at),
        Some(AlertState::Silenced) => filter.add("resolved is null and silenced_until > ?", at),
        Some(AlertState::Resolved) => filter.add("coalesce(resolved, 0) > ?", 0_i64),
        None => &mut filter,
    };
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!(
        "{}{clause} order by case when resolved is null then 0 else 1 end, {column} {direction}, id {direction}{limit}",
        AlertRow::select()
    );
    let found: Vec<AlertRow> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from alerts{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(|row| row.alert(now)).collect(), total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str, now: Timestamp) -> ApiResult<Alert> {
    AlertRow::find(db, id.into()).await?.map(|row| row.alert(now)).ok_or_else(|| ApiError::not_found("告警"))
}

/// Stores a new episode; `None` when another portal did so first. A silence of the same object that is still in force
/// applies to it, too.
pub(super) async fn begin(
    tx: &Tx,
    kind: AlertKind,
    object: &str,
    fault: &Fault,
    since: Timestamp,
    now: Timestamp,
) -> ApiResult<Option<Episode>> {
    let (until, by) = silence_of(tx, kind, object, now).await?.unzip();
    let row = AlertRow {
        id: uuid::Uuid::now_v7().to_string(),
        kind,
        object: object.to_owned(),
        name: fault.name.clone(),
        severity: fault.severity,
        words: fault.words.clone(),
        link: fault.link.clone(),
        since,
        last_seen: now,
        resolved: None,
        told: None,
        silenced_until: until,
        silenced_by: by.unwrap_or_default(),
    };
    let (sql, values) = row.insertion(&[])?;
    let begun = tx.run(&format!("{sql} on conflict do nothing"), values).await? > 0;
    Ok(begun.then(|| row.episode(now)))
}

/// Until when an object is silenced, and by which administrator.
async fn silence_of(tx: &Tx, kind: AlertKind, object: &str, now: Timestamp) -> DbResult<Option<(Timestamp, String)>> {
    let sql = "select silenced_until, silenced_by from alerts where kind = $1 and object = $2 and silenced_until > $3 \
        order by silenced_until desc limit 1";
    Ok(tx.pairs(sql, vec![Word(kind).into(), object.into(), now.as_millis().into()]).await?.pop())
}

/// Writes down how a fault is now.
pub(super) async fn go_on(tx: &Tx, id: &str, fault: &Fault, now: Timestamp) -> DbResult<u64> {
    let sql = "update alerts set name = $2, severity = $3, words = $4, link = $5, last_seen = $6 \
        where id = $1 and resolved is null";
    let values = vec![
        id.into(),
        fault.name.as_str().into(),
        Word(fault.severity).into(),
        fault.words.as_str().into(),
        fault.link.as_str().into(),
        now.as_millis().into(),
    ];
    tx.run(sql, values).await
}

/// Stores that this severity was notified; `false` when another portal did so first.
pub(super) async fn note_told(
    tx: &Tx,
    id: &str,
    severity: AlertSeverity,
    before: Option<AlertSeverity>,
) -> DbResult<bool> {
    let sql = "update alerts set told = $2 where id = $1 and coalesce(told, '') = $3";
    let before = before.map_or_else(String::new, |before| Word(before).to_string());
    Ok(tx.run(sql, vec![id.into(), Word(severity).into(), before.into()]).await? > 0)
}

/// Ends an episode; `false` when another portal did so first.
pub(super) async fn end(tx: &Tx, id: &str, now: Timestamp) -> DbResult<bool> {
    let sql = "update alerts set resolved = $2 where id = $1 and resolved is null";
    Ok(tx.run(sql, vec![id.into(), now.as_millis().into()]).await? > 0)
}

/// Silences the object of an alert, or ends its silence. Earlier episodes' silences that are still in force change too,
/// because the next episode would inherit them.
pub(super) async fn silence(tx: &Tx, id: &str, until: Option<Timestamp>, by: &str, now: Timestamp) -> DbResult<u64> {
    let sql = "update alerts set silenced_until = $2, silenced_by = $3 \
        where kind = (select kind from alerts where id = $1) and object = (select object from alerts where id = $1) \
        and (resolved is null or silenced_until > $4)";
    let values = vec![id.into(), until.map(Timestamp::as_millis).into(), by.into(), now.as_millis().into()];
    tx.run(sql, values).await
}

/// The number of open alerts by kind, including silenced ones.
pub(crate) async fn count_firing(db: &impl Sql) -> DbResult<BTreeMap<AlertKind, i64>> {
    let sql = "select kind, count(*) as n from alerts where resolved is null group by kind";
    let counts: Vec<(Word<AlertKind>, i64)> = db.pairs(sql, vec![]).await?;
    Ok(counts.into_iter().map(|(kind, n)| (kind.0, n)).collect())
}

impl AlertRow {
    fn alert(self, now: Timestamp) -> Alert {
        Alert {
            state: AlertState::of(self.resolved, self.silenced_until, now),
            id: self.id,
            kind: self.kind,
            severity: self.severity,
            name: self.name,
            words: self.words,
            link: self.link,
            since: self.since,
            last_seen: self.last_seen,
            resolved: self.resolved,
            silenced_until: self.silenced_until,
            silenced_by: self.silenced_by,
        }
    }

    fn episode(self, now: Timestamp) -> Episode {
        Episode {
            silenced: AlertState::of(None, self.silenced_until, now) == AlertState::Silenced,
            id: self.id,
            kind: self.kind,
            object: self.object,
            name: self.name,
            severity: self.severity,
            words: self.words,
            last_seen: self.last_seen,
            told: self.told,
        }
    }
}
