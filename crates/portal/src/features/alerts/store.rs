//! Alerts in the database.

use std::collections::BTreeMap;

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Word, like};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Page, Timestamp};

use super::model::{Alert, AlertKind, AlertQuery, AlertSeverity, AlertState};
use super::tracker::{Episode, Fault};

const COLUMNS: &str = "id, kind, object, name, severity, words, link, since, last_seen, resolved, told, \
    silenced_until, silenced_by";

const SORTS: &[(&str, &str)] = &[("since", "since"), ("lastSeen", "last_seen")];

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    kind: Word<AlertKind>,
    object: String,
    name: String,
    severity: Word<AlertSeverity>,
    words: String,
    link: String,
    since: i64,
    last_seen: i64,
    resolved: Option<i64>,
    told: Option<Word<AlertSeverity>>,
    silenced_until: Option<i64>,
    silenced_by: String,
}

/// Episodes that are not over.
pub(super) async fn open(db: &impl Sql, now: Timestamp) -> ApiResult<Vec<Episode>> {
    let rows: Vec<Row> =
        db.all(&format!("select {COLUMNS} from alerts where resolved is null order by id"), vec![]).await?;
    Ok(rows.into_iter().map(|row| row.episode(now)).collect())
}

/// Returns a page of alerts, open ones first.
pub(super) async fn list(db: &Db, query: &AlertQuery, now: Timestamp) -> ApiResult<Page<Alert>> {
    let list = ListQuery::from(query);
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
        "select {COLUMNS} from alerts{clause} order by case when resolved is null then 0 else 1 end, \
         {column} {direction}, id {direction}{limit}"
    );
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from alerts{clause}"), filter.values()).await?;
    Ok(Page { items: found.into_iter().map(|row| row.alert(now)).collect(), total })
}

pub(super) async fn by_id(db: &impl Sql, id: &str, now: Timestamp) -> ApiResult<Alert> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from alerts where id = $1"), vec![id.into()]).await?;
    row.map(|row| row.alert(now)).ok_or_else(|| ApiError::not_found("告警"))
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
    let silence = silence_of(tx, kind, object, now).await?;
    let (until, by) =
        silence.map_or((None, String::new()), |silence| (Some(silence.silenced_until), silence.silenced_by));
    let id = uuid::Uuid::now_v7().to_string();
    let sql = "insert into alerts (id, kind, object, name, severity, words, link, since, last_seen, silenced_until, \
        silenced_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing";
    let values = vec![
        id.as_str().into(),
        Word(kind).into(),
        object.into(),
        fault.name.as_str().into(),
        Word(fault.severity).into(),
        fault.words.as_str().into(),
        fault.link.as_str().into(),
        since.as_millis().into(),
        now.as_millis().into(),
        until.into(),
        by.into(),
    ];
    let begun = tx.run(sql, values).await? > 0;
    Ok(begun.then(|| Episode {
        id,
        kind,
        object: object.to_owned(),
        name: fault.name.clone(),
        severity: fault.severity,
        words: fault.words.clone(),
        last_seen: now,
        told: None,
        silenced: until.is_some(),
    }))
}

#[derive(Debug, FromQueryResult)]
struct Silence {
    silenced_until: i64,
    silenced_by: String,
}

async fn silence_of(tx: &Tx, kind: AlertKind, object: &str, now: Timestamp) -> DbResult<Option<Silence>> {
    let sql = "select silenced_until, silenced_by from alerts where kind = $1 and object = $2 and silenced_until > $3 \
        order by silenced_until desc limit 1";
    tx.first(sql, vec![Word(kind).into(), object.into(), now.as_millis().into()]).await
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
    #[derive(Debug, FromQueryResult)]
    struct Count {
        kind: Word<AlertKind>,
        n: i64,
    }
    let sql = "select kind, count(*) as n from alerts where resolved is null group by kind";
    let counts: Vec<Count> = db.all(sql, vec![]).await?;
    Ok(counts.into_iter().map(|count| (count.kind.0, count.n)).collect())
}

impl Row {
    fn alert(self, now: Timestamp) -> Alert {
        let at = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        let (resolved, silenced_until) = (at(self.resolved), at(self.silenced_until));
        Alert {
            state: AlertState::of(resolved, silenced_until, now),
            id: self.id,
            kind: self.kind.0,
            severity: self.severity.0,
            name: self.name,
            words: self.words,
            link: self.link,
            since: Timestamp::from_millis(self.since),
            last_seen: Timestamp::from_millis(self.last_seen),
            resolved,
            silenced_until,
            silenced_by: self.silenced_by,
        }
    }

    fn episode(self, now: Timestamp) -> Episode {
        let until = self.silenced_until.map(Timestamp::from_millis);
        Episode {
            silenced: AlertState::of(None, until, now) == AlertState::Silenced,
            id: self.id,
            kind: self.kind.0,
            object: self.object,
            name: self.name,
            severity: self.severity.0,
            words: self.words,
            last_seen: Timestamp::from_millis(self.last_seen),
            told: self.told.map(|told| told.0),
        }
    }
}
