//! Samples of instances' use, in the database.

use std::collections::HashMap;

use db_kit::{Db, DbResult, FromQueryResult, Sql};
use kernel::Timestamp;

use super::model::InstanceSample;
use crate::store_samples::{Measured, Series};

pub(super) const SAMPLES: Series = Series {
    table: "instance_samples",
    owner: "instance_id",
    columns: &["cpu", "memory", "memory_limit", "received", "sent", "pids"],
};

/// Microseconds of CPU time per second of one core.
const CORE: f64 = 1e6;

#[derive(Debug, FromQueryResult)]
struct Row {
    time: i64,
    cpu: Option<i64>,
    memory: Option<i64>,
    memory_limit: Option<i64>,
    received: Option<i64>,
    sent: Option<i64>,
    pids: Option<i64>,
}

impl InstanceSample {
    /// The sample as a row.
    #[expect(clippy::cast_possible_truncation, reason = "cores are a few thousand at most")]
    pub(super) fn measured(&self, instance: &str) -> Measured {
        let cpu = self.cpu.map(|cores| (cores * CORE).round() as i64);
        let values = vec![cpu, self.memory, self.memory_limit, self.received, self.sent, self.pids];
        Measured { owner: instance.to_owned(), time: self.time, values }
    }
}

/// From how much on an instance is used, on average over a minute: 5 % of a core, 64 KiB a second.
const BUSY_CPU: i64 = 50_000;
const BUSY_NETWORK: i64 = 64 << 10;

/// Number of measured minutes since `from`, or 0 if the instance was busy in one of them.
pub(super) async fn quiet_minutes(db: &Db, instance: &str, from: Timestamp) -> DbResult<i64> {
    let busy = format!(
        "select count(*) as n from (select time from instance_samples where instance_id = $1 and span = 60 and \
         time >= $2 and (cpu >= {BUSY_CPU} or received >= {BUSY_NETWORK} or sent >= {BUSY_NETWORK}) \
         order by time desc limit 1) as found"
    );
    let values = || vec![instance.into(), from.as_millis().into()];
    if db.number(&busy, values()).await? > 0 {
        return Ok(0);
    }
    let measured =
        "select count(*) as n from instance_samples where instance_id = $1 and span = 60 and time >= $2 and cpu >= 0";
    db.number(measured, values()).await
}

/// CPU milliseconds that each instance used in a span of time, as far as it was measured.
pub(crate) async fn cpu_between(db: &impl Sql, from: Timestamp, to: Timestamp) -> DbResult<HashMap<String, i64>> {
    // Microseconds a second, over a minute.
    let sql = "select instance_id, cast(sum(cpu) * 60 / 1000 as bigint) as cpu from instance_samples \
        where span = 60 and time >= $1 and time < $2 and cpu is not null group by instance_id";
    Ok(db.pairs(sql, vec![from.as_millis().into(), to.as_millis().into()]).await?.into_iter().collect())
}

/// Samples of an instance since `from`, oldest first, and the seconds that each covers.
pub(super) async fn since(
    db: &Db,
    instance: &str,
    from: Timestamp,
    now: Timestamp,
) -> DbResult<(i64, Vec<InstanceSample>)> {
    let (span, rows) = SAMPLES.since(db, instance, from, now).await?;
    let samples = rows.into_iter().map(|row: Row| InstanceSample {
        time: Timestamp::from_millis(row.time),
        cpu: row.cpu.map(|micros| micros as f64 / CORE),
        memory: row.memory,
        memory_limit: row.memory_limit,
        received: row.received,
        sent: row.sent,
        pids: row.pids,
    });
    Ok((span, samples.collect()))
}
