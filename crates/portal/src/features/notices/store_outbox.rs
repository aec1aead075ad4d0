//! What waits to leave by a channel, in the database. The only place that knows how it is queued.

use std::time::Duration;

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

/// A receiver that is away for a day must not fill the database. For each channel.
const MOST_WAITING: i64 = 1000;
/// How long what was given up is shown.
const SHOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// How a notice leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// A group's robot, or a program of the lab's own.
    Robot,
    Mail,
}

impl Channel {
    pub(super) const ALL: [Self; 2] = [Self::Robot, Self::Mail];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Robot => "robot",
            Self::Mail => "mail",
        }
    }
}

/// What is about to be queued.
#[derive(Clone, Debug)]
pub(super) struct NewDelivery {
    pub(super) event: &'static str,
    /// What the channel needs to word it, as JSON.
    pub(super) content: String,
}

/// What waits or was given up.
#[derive(Debug, FromQueryResult)]
pub(super) struct DeliveryRow {
    pub(super) id: String,
    pub(super) event: String,
    pub(super) content: String,
    created: i64,
    due: Option<i64>,
    pub(super) tries: i64,
    pub(super) error: String,
}

impl DeliveryRow {
    pub(super) fn created(&self) -> Timestamp {
        Timestamp::from_millis(self.created)
    }

    /// When it is tried next; `None`: it was given up.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.due.map(Timestamp::from_millis)
    }
}

const COLUMNS: &str = "id, event, content, created, due, tries, error";

/// Queues these as far as there is room; how many there was none for.
pub(super) async fn add(tx: &Tx, channel: Channel, new: &[NewDelivery], at: Timestamp) -> DbResult<usize> {
    if new.is_empty() {
        return Ok(0);
    }
    let room = usize::try_from(MOST_WAITING - waiting(tx, channel).await?).unwrap_or_default();
    let taken = &new[..new.len().min(room)];
    if !taken.is_empty() {
        let rows: Vec<String> = (0..taken.len())
            .map(|n| format!("(${}, $1, ${}, ${}, $2, $2, 0, '')", 3 + 3 * n, 4 + 3 * n, 5 + 3 * n))
            .collect();
        let sql = format!(
            "insert into notice_deliveries (id, channel, event, content, created, due, tries, error) values {}",
            rows.join(", ")
        );
        let mut values = vec![channel.word().into(), at.as_millis().into()];
        for one in taken {
            let id = uuid::Uuid::now_v7().to_string();
            values.extend([id.into(), one.event.into(), one.content.as_str().into()]);
        }
        tx.run(&sql, values).await?;
    }
    Ok(new.len() - taken.len())
}

/// The next to be sent, first those that wait longest.
pub(super) async fn due(db: &impl Sql, channel: Channel, now: Timestamp, most: i64) -> DbResult<Vec<DeliveryRow>> {
    let sql =
        format!("select {COLUMNS} from notice_deliveries where channel = $1 and due <= $2 order by due, id limit $3");
    db.all(&sql, vec![channel.word().into(), now.as_millis().into(), most.into()]).await
}

/// It is done with.
pub(super) async fn done(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from notice_deliveries where id = $1", vec![id.into()]).await
}

/// It failed, and is tried again then, or never.
pub(super) async fn put_off(tx: &Tx, one: &DeliveryRow, error: &str, next: Option<Timestamp>) -> DbResult<u64> {
    let sql = "update notice_deliveries set tries = tries + 1, due = $3, error = $4 where id = $1 and tries = $2";
    let values = vec![one.id.as_str().into(), one.tries.into(), next.map(Timestamp::as_millis).into(), error.into()];
    tx.run(sql, values).await
}

pub(super) async fn waiting(db: &impl Sql, channel: Channel) -> DbResult<i64> {
    let sql = "select count(*) as n from notice_deliveries where channel = $1 and due is not null";
    db.number(sql, vec![channel.word().into()]).await
}

pub(super) async fn given_up(db: &impl Sql, channel: Channel) -> DbResult<i64> {
    let sql = "select count(*) as n from notice_deliveries where channel = $1 and due is null";
    db.number(sql, vec![channel.word().into()]).await
}

/// Those that failed at least once, the latest first.
pub(super) async fn failed(db: &impl Sql, channel: Channel, most: i64) -> DbResult<Vec<DeliveryRow>> {
    let sql = format!(
        "select {COLUMNS} from notice_deliveries where channel = $1 and tries > 0 order by created desc, id desc limit $2"
    );
    db.all(&sql, vec![channel.word().into(), most.into()]).await
}

/// Has those tried again that were given up; how many.
pub(super) async fn revive(tx: &Tx, channel: Channel, now: Timestamp) -> DbResult<u64> {
    let sql = "update notice_deliveries set due = $1, tries = 0 where channel = $2 and due is null";
    tx.run(sql, vec![now.as_millis().into(), channel.word().into()]).await
}

/// Drops those that were given up; how many.
pub(super) async fn forget(tx: &Tx, channel: Channel) -> DbResult<u64> {
    tx.run("delete from notice_deliveries where channel = $1 and due is null", vec![channel.word().into()]).await
}

/// Drops those that were given up long ago, of all channels.
pub(super) async fn sweep(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    let sql = "delete from notice_deliveries where due is null and created < $1";
    tx.run(sql, vec![now.minus(SHOWN_FOR).as_millis().into()]).await
}

/// Drops those that wait; how many.
pub(super) async fn drop_waiting(tx: &Tx, channel: Channel) -> DbResult<u64> {
    let sql = "delete from notice_deliveries where channel = $1 and due is not null";
    tx.run(sql, vec![channel.word().into()]).await
}
