//! Where messages to the group go, in the database.

use std::collections::BTreeSet;

use db_kit::{DbResult, FromQueryResult, Record, Sql, Tx};
use http_kit::ApiResult;
use kernel::{Secret, Timestamp};

use super::channels::robot::model::{Event, Format, Target};
use crate::seal::Seal;

const ID: &str = "webhook";
const ADDRESS_PLACE: &str = "webhook:address";
const SECRET_PLACE: &str = "webhook:secret";

/// The target with the address and the secret sealed.
#[derive(Debug, Record)]
#[record(table = "webhook")]
struct SealedTarget {
    id: String,
    enabled: bool,
    address: String,
    #[record(word)]
    format: Format,
    secret: String,
    #[record(json)]
    events: BTreeSet<Event>,
}

/// How the last delivery fared.
#[derive(Debug, FromQueryResult)]
pub(super) struct LastRow {
    pub(super) last_time: Option<i64>,
    pub(super) last_error: String,
}

/// The target of messages; by default none.
pub(super) async fn target(db: &impl Sql, seal: &Seal) -> ApiResult<Target> {
    let Some(row) = SealedTarget::find(db, ID.into()).await? else { return Ok(Target::default()) };
    // A secret sealed with another key reads as missing, so that the page still opens and it can be entered again.
    let opened = |place: &str, sealed: &str| seal.open(place, sealed).unwrap_or_default();
    Ok(Target {
        enabled: row.enabled,
        address: opened(ADDRESS_PLACE, &row.address),
        format: row.format,
        secret: opened(SECRET_PLACE, &row.secret),
        events: row.events,
    })
}

/// The events that are sent now; none while the channel is disabled.
pub(super) async fn wanted(db: &impl Sql) -> DbResult<BTreeSet<Event>> {
    let row = SealedTarget::find(db, ID.into()).await?.filter(|row| row.enabled);
    Ok(row.map_or_else(BTreeSet::new, |row| row.events))
}

/// Stores the target. With another address, the last delivery's outcome is dropped.
pub(super) async fn put_target(tx: &Tx, seal: &Seal, target: &Target, same_address: bool) -> ApiResult<()> {
    let sealed = |place: &str, text: &Secret| {
        if text.expose().is_empty() { Ok(String::new()) } else { seal.close(place, text.expose()) }
    };
    let row = SealedTarget {
        id: ID.to_owned(),
        enabled: target.enabled,
        address: sealed(ADDRESS_PLACE, &target.address)?,
        format: target.format,
        secret: sealed(SECRET_PLACE, &target.secret)?,
        events: target.events.clone(),
    };
    row.put_with(tx, &[("last_error", "".into())]).await?;
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
