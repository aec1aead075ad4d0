//! The lab's cards over time, in the database.

use std::time::Duration;

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

use super::model::{LabHistory, LabPoint};

/// Maximum span and number of points of a chart.
const MOST_MINUTES: u32 = 30 * 24 * 60;
/// A chart has no use for more.
const MOST_POINTS: u32 = 300;
const MINUTE_MS: i64 = 60_000;

/// Stores one sample.
pub(super) async fn keep(tx: &Tx, now: Timestamp, cards: i64, used: i64, utilization: Option<i64>) -> DbResult<()> {
    let sql = "insert into lab_samples (time, cards, used, utilization) values ($1, $2, $3, $4) \
        on conflict (time) do nothing";
    tx.run(sql, vec![now.as_millis().into(), cards.into(), used.into(), utilization.into()]).await?;
    Ok(())
}

#[derive(Debug, FromQueryResult)]
struct Row {
    time: i64,
    n: i64,
    cards: i64,
    used: i64,
    measured: i64,
    utilization: Option<i64>,
}

/// The last `minutes`, in no more points than a chart can show.
pub(crate) async fn lab_history(db: &Db, minutes: u32, now: Timestamp) -> DbResult<LabHistory> {
    let minutes = minutes.clamp(1, MOST_MINUTES);
    let width = i64::from(minutes.div_ceil(MOST_POINTS)) * MINUTE_MS;
    let sql = format!(
        "select min(time) / {width} * {width} as time, count(*) as n, cast(sum(cards) as bigint) as cards, \
         cast(sum(used) as bigint) as used, count(utilization) as measured, \
         cast(sum(utilization) as bigint) as utilization from lab_samples where time >= $1 \
         group by time / {width} order by time / {width}"
    );
    let rows: Vec<Row> = db.all(&sql, vec![back(now, minutes).as_millis().into()]).await?;
    let items = rows.into_iter().map(|row| LabPoint {
        time: Timestamp::from_millis(row.time),
        cards: average(row.cards, row.n),
        used: average(row.used, row.n),
        utilization: row.utilization.map(|sum| average(sum, row.measured)),
    });
    Ok(LabHistory { span: width / 1000, items: items.collect() })
}

fn back(now: Timestamp, minutes: u32) -> Timestamp {
    now.minus(Duration::from_secs(60 * u64::from(minutes)))
}

/// Rounds to one decimal.
fn average(sum: i64, n: i64) -> f64 {
    (sum as f64 / n as f64 * 10.0).round() / 10.0
}
