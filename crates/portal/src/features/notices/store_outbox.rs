//! Pending deliveries of the channels: a row of the job table and a row with the content. Only this module knows how
//! they are queued.

use background::{Attempt, NewJob};
use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

use crate::jobs::{JOBS, Orphan};

/// The most pending deliveries of one channel, so that an unreachable receiver does not fill the database.
const MOST_WAITING: i64 = 1000;
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

    /// The Chinese measure word for its deliveries.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Robot => "条",
            Self::Mail => "封",
        }
    }

    /// The kind of its jobs.
    const fn kind(self) -> &'static str {
        match self {
            Self::Robot => "notice-robot",
            Self::Mail => "notice-mail",
        }
    }
}

/// Deliveries in the job table. One whose sender was killed is sent again: at least once, not at most once.
pub(crate) const JOB_KINDS: [(&str, Orphan); 2] =
    [(Channel::Robot.kind(), Orphan::Again), (Channel::Mail.kind(), Orphan::Again)];

/// A delivery to queue.
#[derive(Clone, Debug)]
pub(super) struct NewDelivery {
    pub(super) event: String,
    /// The content for the channel, as JSON.
    pub(super) content: String,
}

/// A pending or failed delivery.
#[derive(Debug, FromQueryResult)]
pub(super) struct DeliveryRow {
    pub(super) id: String,
    pub(super) event: String,
    pub(super) content: String,
    state: String,
    created: i64,
    due: i64,
    pub(super) tries: i64,
    pub(super) error: String,
}

impl DeliveryRow {
    pub(super) fn created(&self) -> Timestamp {
        Timestamp::from_millis(self.created)
    }

    /// The time of the next try; `None`: it was given up.
    pub(super) fn next(&self) -> Option<Timestamp> {
        (self.state != "failed").then(|| Timestamp::from_millis(self.due))
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt { job: &self.id, tries: self.tries }
    }
}

const SELECT: &str = "select d.id, d.event, d.content, j.state, j.created, j.due, j.tries, j.error \
    from notice_deliveries d join jobs j on j.id = d.id";

/// Queues these as far as there is room; how many there was none for.
pub(super) async fn add(tx: &Tx, channel: Channel, new: &[NewDelivery], at: Timestamp) -> DbResult<usize> {
    if new.is_empty() {
        return Ok(0);
    }
    let room = usize::try_from(MOST_WAITING - waiting(tx, channel).await?).unwrap_or_default();
    let taken = &new[..new.len().min(room)];
    if !taken.is_empty() {
        let ids: Vec<String> = taken.iter().map(|_| uuid::Uuid::now_v7().to_string()).collect();
        let job = |id| NewJob { id, kind: channel.kind(), owner: None, runner: "", due: at };
        let jobs: Vec<NewJob<'_>> = ids.iter().map(|id| job(id)).collect();
        JOBS.add_all(tx, &jobs, at).await?;
        let rows: Vec<String> =
            (0..taken.len()).map(|n| format!("(${}, $1, ${}, ${})", 2 + 3 * n, 3 + 3 * n, 4 + 3 * n)).collect();
        let sql = format!("insert into notice_deliveries (id, channel, event, content) values {}", rows.join(", "));
        let mut values = vec![channel.word().into()];
        for (id, one) in ids.into_iter().zip(taken) {
            values.extend([id.into(), one.event.as_str().into(), one.content.as_str().into()]);
        }
        tx.run(&sql, values).await?;
    }
    Ok(new.len() - taken.len())
}

/// The deliveries that this portal sends next, the longest waiting first. Includes those it has the lease of already:
/// it sends one after the other, so they were left over when it lost the leadership.
pub(super) async fn due(
    db: &impl Sql,
    channel: Channel,
    runner: &str,
    now: Timestamp,
    most: i64,
) -> DbResult<Vec<DeliveryRow>> {
    let sql = format!(
        "{SELECT} where j.kind = $1 and (j.state = 'queued' or j.state = 'running' and j.runner = $2) and j.due <= $3 \
        order by j.due, d.id limit $4"
    );
    let values = vec![channel.kind().into(), runner.into(), now.as_millis().into(), most.into()];
    db.all(&sql, values).await
}

/// Takes the lease of a delivery; `false` when another portal has it.
pub(super) async fn begin(tx: &Tx, one: &DeliveryRow, runner: &str, now: Timestamp) -> DbResult<bool> {
    JOBS.begin(tx, &one.id, runner, now).await
}

/// Removes a finished delivery.
pub(super) async fn done(tx: &Tx, id: &str) -> DbResult<u64> {
    JOBS.remove(tx, id).await
}

/// It failed, and is tried again then, or never.
pub(super) async fn put_off(
    tx: &Tx,
    one: &DeliveryRow,
    error: &str,
    next: Option<Timestamp>,
    now: Timestamp,
) -> DbResult<u64> {
    Ok(u64::from(JOBS.retry(tx, one.attempt(), error, next, now).await?))
}

pub(super) async fn waiting(db: &impl Sql, channel: Channel) -> DbResult<i64> {
    JOBS.count_open(db, channel.kind()).await
}

pub(super) async fn given_up(db: &impl Sql, channel: Channel) -> DbResult<i64> {
    JOBS.count(db, channel.kind(), "failed").await
}

/// Deliveries that failed at least once, the newest first.
pub(super) async fn failed(db: &impl Sql, channel: Channel, most: i64) -> DbResult<Vec<DeliveryRow>> {
    let sql = format!("{SELECT} where j.kind = $1 and j.tries > 0 order by j.created desc, d.id desc limit $2");
    db.all(&sql, vec![channel.kind().into(), most.into()]).await
}

/// Retries the deliveries that were given up; returns their number.
pub(super) async fn revive(tx: &Tx, channel: Channel, now: Timestamp) -> DbResult<u64> {
    JOBS.revive(tx, channel.kind(), now).await
}

/// Drops the deliveries that were given up; returns their number.
pub(super) async fn forget(tx: &Tx, channel: Channel) -> DbResult<u64> {
    JOBS.remove_failed(tx, channel.kind(), None).await
}

/// Drops the pending deliveries; returns their number.
pub(super) async fn drop_waiting(tx: &Tx, channel: Channel) -> DbResult<u64> {
    JOBS.remove_open(tx, channel.kind()).await
}
