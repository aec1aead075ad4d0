//! How busy cards were, in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql};
use kernel::Timestamp;

use super::model::GpuSample;
use crate::store_samples::{Measured, Series};

pub(crate) const SAMPLES: Series =
    Series { table: "gpu_samples", owner: "gpu_id", columns: &["utilization", "memory_used", "temperature", "power"] };

impl GpuSample {
    /// The sample as a row of this card.
    pub(crate) fn measured(&self, card: &str) -> Measured {
        let values = vec![self.utilization, self.memory_used, self.temperature, self.power];
        Measured { owner: card.to_owned(), time: self.time, values }
    }
}

/// From which percentage on a card is used, on average over a minute.
const BUSY: i64 = 5;

/// Whether one of these cards was used since `from`. Cards without a known utilization count as unused.
pub(crate) async fn any_busy(db: &Db, cards: &[String], from: Timestamp) -> DbResult<bool> {
    for card in cards {
        let sql = format!(
            "select count(*) as n from (select time from gpu_samples where gpu_id = $1 and span = 60 and time >= $2 \
             and utilization >= {BUSY} order by time desc limit 1) as found"
        );
        if db.number(&sql, vec![card.as_str().into(), from.as_millis().into()]).await? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A card's load over some time, from its samples by the minute.
#[derive(Clone, Copy, Debug, Default, FromQueryResult)]
pub(crate) struct CardUse {
    /// Minutes with a known utilization.
    pub(crate) minutes: i64,
    /// Percent, summed over them.
    pub(crate) sum: i64,
    /// The sum of their squares.
    pub(crate) squares: i64,
    /// Bytes of its memory, when they were fewest.
    pub(crate) memory_least: i64,
    /// And when they were most.
    pub(crate) memory_most: i64,
}

/// The card's load since `from`.
pub(crate) async fn use_since(db: &Db, card: &str, from: Timestamp) -> DbResult<CardUse> {
    let sql = "select count(utilization) as minutes, cast(coalesce(sum(utilization), 0) as bigint) as sum, \
        cast(coalesce(sum(utilization * utilization), 0) as bigint) as squares, \
        coalesce(min(memory_used), 0) as memory_least, coalesce(max(memory_used), 0) as memory_most \
        from gpu_samples where gpu_id = $1 and span = 60 and time >= $2";
    Ok(db.first(sql, vec![card.into(), from.as_millis().into()]).await?.unwrap_or_default())
}

/// The samples of a card since `from`, oldest first, and the seconds that each covers.
pub(super) async fn since(db: &Db, card: &str, from: Timestamp, now: Timestamp) -> DbResult<(i64, Vec<GpuSample>)> {
    SAMPLES.since(db, card, from, now).await
}
