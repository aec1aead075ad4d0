//! Where messages to the group go, in the database.

use std::collections::BTreeSet;

use db_kit::{DbResult, FromQueryResult, Json, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Secret, Timestamp};

use super::channels::robot::model::{Event, Format, Target};
use crate::seal::Seal;

const ID: &str = "webhook";
const ADDRESS_PLACE: &str = "webhook:address";
const SECRET_PLACE: &str = "webhook:secret";

#[derive(Debug, FromQueryResult)]
struct TargetRow {
    enabled: bool,
    address: String,
    format: Word<Format>,
    secret: String,
    events: Json<BTreeSet<Event>>,
}

/// How the last delivery fared.
#[derive(Debug, FromQueryResult)]
pub(super) struct LastRow {
    pub(super) last_time: Option<i64>,
    pub(super) last_error: String,
}

/// The target of messages; by default none.
pub(super) async fn target(db: &impl Sql, seal: &Seal) -> ApiResult<Target> {
    let sql = "select enabled, address, format, secret, events from webhook where id = $1";
    let Some(row) = db.first::<TargetRow>(sql, vec![ID.into()]).await? else { return Ok(Target::default()) };
    // A secret sealed with another key reads as missing, so that the page still opens and it can be entered again.
    let opened = |place: &str, sealed: &str| seal.open(place, sealed).unwrap_or_default();
    Ok(Target {
        enabled: row.enabled,
        address: opened(ADDRESS_PLACE, &row.address),
        format: row.format.0,
        secret: opened(SECRET_PLACE, &row.secret),
        events: row.events.0,
    })
}

/// The events that are sent now; none while the channel is disabled.
pub(super) async fn wanted(db: &impl Sql) -> ApiResult<BTreeSet<Event>> {
    #[derive(Debug, FromQueryResult)]
    struct Wanted {
        events: Json<BTreeSet<Event>>,
    }
    let sql = "select events from webhook where id = $1 and enabled";
    let row: Option<Wanted> = db.first(sql, vec![ID.into()]).await?;
    Ok(row.map_or_else(BTreeSet::new, |row| row.events.0))
}

/// Stores the target. With another address, the last delivery's outcome is dropped.
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
        Word(target.format).into(),
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
