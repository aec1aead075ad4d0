//! Where notices go, and those that wait, in the database.

use std::collections::BTreeSet;
use std::time::Duration;

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Secret, Timestamp};

use super::model::{Event, Format, Notice, Target};
use crate::seal::Seal;

const ID: &str = "webhook";
const ADDRESS_PLACE: &str = "webhook:address";
const SECRET_PLACE: &str = "webhook:secret";
/// A receiver that is gone for a day must not fill the database.
const MOST_WAITING: i64 = 1000;
/// How long what was given up is shown.
const SHOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Debug, FromQueryResult)]
struct TargetRow {
    enabled: bool,
    address: String,
    format: String,
    secret: String,
    events: String,
}

/// How the last message fared.
#[derive(Debug, FromQueryResult)]
pub(super) struct LastRow {
    pub(super) last_time: Option<i64>,
    pub(super) last_error: String,
}

/// A notice that waits or was given up.
#[derive(Debug, FromQueryResult)]
pub(super) struct NoticeRow {
    pub(super) id: String,
    event: String,
    content: String,
    created: i64,
    due: Option<i64>,
    pub(super) tries: i64,
    pub(super) error: String,
}

impl NoticeRow {
    /// `None` for one of another version.
    pub(super) fn event(&self) -> Option<Event> {
        Event::ALL.iter().find(|(_, word)| *word == self.event).map(|(event, _)| *event)
    }

    /// `None`, too, for one that can't be read.
    pub(super) fn notice(&self) -> Option<Notice> {
        serde_json::from_str(&self.content).ok()
    }

    pub(super) fn created(&self) -> Timestamp {
        Timestamp::from_millis(self.created)
    }

    /// When it is tried next; `None`: it was given up.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.due.map(Timestamp::from_millis)
    }
}

const NOTICE: &str = "id, event, content, created, due, tries, error";

/// Where notices go; nowhere when nobody ever said.
pub(super) async fn target(db: &impl Sql, seal: &Seal) -> ApiResult<Target> {
    let sql = "select enabled, address, format, secret, events from webhook where id = $1";
    let Some(row) = db.first::<TargetRow>(sql, vec![ID.into()]).await? else { return Ok(Target::default()) };
    // What another key sealed is set anew on the page, which must not fail for it.
    let opened = |place: &str, sealed: &str| seal.open(place, sealed).unwrap_or_default();
    Ok(Target {
        enabled: row.enabled,
        address: opened(ADDRESS_PLACE, &row.address),
        format: Format::from_word(&row.format),
        secret: opened(SECRET_PLACE, &row.secret),
        events: events(&row.events)?,
    })
}

fn events(text: &str) -> ApiResult<BTreeSet<Event>> {
    serde_json::from_str(text).map_err(ApiError::internal)
}

/// What is told at present; nothing while it is off.
pub(super) async fn wanted(db: &impl Sql) -> ApiResult<BTreeSet<Event>> {
    #[derive(Debug, FromQueryResult)]
    struct Wanted {
        events: String,
    }
    let sql = "select events from webhook where id = $1 and enabled";
    let row: Option<Wanted> = db.first(sql, vec![ID.into()]).await?;
    row.map_or_else(|| Ok(BTreeSet::new()), |row| events(&row.events))
}

/// Sets where notices go. How the last one fared is forgotten with the address that it went to.
pub(super) async fn put_target(tx: &Tx, seal: &Seal, target: &Target, same_address: bool) -> ApiResult<()> {
    let sealed = |place: &str, text: &Secret| {
        if text.expose().is_empty() { Ok(String::new()) } else { seal.close(place, text.expose()) }
    };
    let sql = "insert into webhook (id, enabled, address, format, secret, events, last_error) \
        values ($1, $2, $3, $4, $5, $6, '') \
        on conflict (id) do update set enabled = excluded.enabled, address = excluded.address, \
        format = excluded.format, secret = excluded.secret, events = excluded.events";
    let values = vec![
        ID.into(),
        target.enabled.into(),
        sealed(ADDRESS_PLACE, &target.address)?.into(),
        target.format.word().into(),
        sealed(SECRET_PLACE, &target.secret)?.into(),
        serde_json::to_string(&target.events).map_err(ApiError::internal)?.into(),
    ];
    tx.run(sql, values).await?;
    if !same_address {
        let sql = "update webhook set last_time = null, last_error = '' where id = $1";
        tx.run(sql, vec![ID.into()]).await?;
    }
    Ok(())
}

pub(super) async fn last(db: &impl Sql) -> DbResult<Option<LastRow>> {
    db.first("select last_time, last_error from webhook where id = $1", vec![ID.into()]).await
}

pub(super) async fn note_last(tx: &Tx, at: Timestamp, error: &str) -> DbResult<u64> {
    let sql = "update webhook set last_time = $2, last_error = $3 where id = $1";
    tx.run(sql, vec![ID.into(), at.as_millis().into(), error.into()]).await
}

/// Writes down what is to be told; `false` when too much waits already.
pub(super) async fn add(tx: &Tx, event: Event, notice: &Notice, at: Timestamp) -> ApiResult<bool> {
    if waiting(tx).await? >= MOST_WAITING {
        return Ok(false);
    }
    let sql = "insert into webhook_notices (id, event, content, created, due, tries, error) \
        values ($1, $2, $3, $4, $4, 0, '')";
    let values = vec![
        uuid::Uuid::now_v7().to_string().into(),
        event.word().into(),
        serde_json::to_string(notice).map_err(ApiError::internal)?.into(),
        at.as_millis().into(),
    ];
    tx.run(sql, values).await?;
    Ok(true)
}

/// The next to be sent, first those that wait longest.
pub(super) async fn due(db: &impl Sql, now: Timestamp, most: i64) -> DbResult<Vec<NoticeRow>> {
    let sql = format!("select {NOTICE} from webhook_notices where due <= $1 order by due, id limit $2");
    db.all(&sql, vec![now.as_millis().into(), most.into()]).await
}

/// It was told.
pub(super) async fn told(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from webhook_notices where id = $1", vec![id.into()]).await
}

/// It was not, and is tried again then, or never.
pub(super) async fn not_told(tx: &Tx, one: &NoticeRow, error: &str, next: Option<Timestamp>) -> DbResult<u64> {
    let sql = "update webhook_notices set tries = tries + 1, due = $3, error = $4 where id = $1 and tries = $2";
    let values = vec![one.id.as_str().into(), one.tries.into(), next.map(Timestamp::as_millis).into(), error.into()];
    tx.run(sql, values).await
}

pub(super) async fn waiting(db: &impl Sql) -> DbResult<i64> {
    db.number("select count(*) as n from webhook_notices where due is not null", vec![]).await
}

pub(super) async fn given_up(db: &impl Sql) -> DbResult<i64> {
    db.number("select count(*) as n from webhook_notices where due is null", vec![]).await
}

/// Those that failed at least once, the latest first.
pub(super) async fn failed(db: &impl Sql, most: i64) -> DbResult<Vec<NoticeRow>> {
    let sql = format!("select {NOTICE} from webhook_notices where tries > 0 order by created desc, id desc limit $1");
    db.all(&sql, vec![most.into()]).await
}

/// Tries those again that were given up; how many.
pub(super) async fn revive(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    let sql = "update webhook_notices set due = $1, tries = 0 where due is null";
    tx.run(sql, vec![now.as_millis().into()]).await
}

/// Drops those that were given up; how many.
pub(super) async fn forget(tx: &Tx) -> DbResult<u64> {
    tx.run("delete from webhook_notices where due is null", vec![]).await
}

/// Drops those that were given up long ago.
pub(super) async fn sweep(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    let sql = "delete from webhook_notices where due is null and created < $1";
    tx.run(sql, vec![now.minus(SHOWN_FOR).as_millis().into()]).await
}

/// Drops those that wait; how many.
pub(super) async fn drop_waiting(tx: &Tx) -> DbResult<u64> {
    tx.run("delete from webhook_notices where due is not null", vec![]).await
}
