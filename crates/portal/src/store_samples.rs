//! Samples: every 5 s for an hour, then every minute, for as long as the settings say.

use std::time::Duration;

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

/// The seconds of a fresh sample.
const FRESH: i64 = 5;
/// The seconds of a condensed sample.
const KEPT: i64 = 60;
/// How long fresh samples are kept.
pub(crate) const FRESH_FOR: Duration = Duration::from_secs(3600);
/// The longest time span of a chart.
const SHOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Rows of one statement; SQLite allows 32 766 values.
const BATCH: usize = 1000;

/// The samples of one kind of object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series {
    /// Has `span`, `time` and the columns below.
    pub(crate) table: &'static str,
    /// The column with the measured object's id.
    pub(crate) owner: &'static str,
    /// The measured values: whole numbers, null if missing.
    pub(crate) columns: &'static [&'static str],
}

/// One sample.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) owner: String,
    pub(crate) time: Timestamp,
    /// In the order of the columns.
    pub(crate) values: Vec<Option<i64>>,
}

impl Series {
    /// Writes measurements down.
    pub(crate) async fn keep(&self, tx: &Tx, measured: &[Measured]) -> DbResult<()> {
        let Self { table, owner, .. } = self;
        let columns = self.columns.join(", ");
        let width = self.columns.len() + 2;
        for batch in measured.chunks(BATCH) {
            let row = |n: usize| {
                let values: Vec<String> = (2 + n * width..2 + (n + 1) * width).map(|at| format!("${at}")).collect();
                format!("($1, {})", values.join(", "))
            };
            let rows: Vec<String> = (0..batch.len()).map(row).collect();
            let sql = format!(
                "insert into {table} (span, {owner}, time, {columns}) values {} \
                 on conflict ({owner}, span, time) do nothing",
                rows.join(", ")
            );
            let mut values = vec![FRESH.into()];
            for one in batch {
                values.extend([one.owner.as_str().into(), one.time.as_millis().into()]);
                values.extend(one.values.iter().map(|value| (*value).into()));
            }
            tx.run(&sql, values).await?;
        }
        Ok(())
    }

    /// Condenses the fresh samples of all whole minutes from `from` to now into one each, and deletes expired fresh
    /// ones. Idempotent.
    pub(crate) async fn condense(&self, tx: &Tx, from: Timestamp, now: Timestamp) -> DbResult<()> {
        let Self { table, owner, columns } = self;
        let averages: Vec<String> =
            columns.iter().map(|column| format!("cast(round(avg({column})) as bigint)")).collect();
        let minute = KEPT * 1000;
        let whole = |at: Timestamp| at.as_millis().div_euclid(minute) * minute;
        let sql = format!(
            "insert into {table} ({owner}, span, time, {}) \
             select {owner}, {KEPT}, time / {minute} * {minute}, {} from {table} \
             where span = {FRESH} and time >= $1 and time < $2 group by {owner}, time / {minute} \
             on conflict ({owner}, span, time) do nothing",
            columns.join(", "),
            averages.join(", ")
        );
        tx.run(&sql, vec![whole(from).into(), whole(now).into()]).await?;
        let sql = format!("delete from {table} where span = {FRESH} and time < $1");
        tx.run(&sql, vec![now.minus(FRESH_FOR).as_millis().into()]).await?;
        Ok(())
    }

    /// Returns the samples of one object since `from`, oldest first, and the seconds between them: fresh ones if they
    /// reach back far enough, else condensed ones.
    pub(crate) async fn since<T: FromQueryResult + Send>(
        &self,
        db: &Db,
        owner: &str,
        from: Timestamp,
        now: Timestamp,
    ) -> DbResult<(i64, Vec<T>)> {
        let span = if from >= now.minus(FRESH_FOR) { FRESH } else { KEPT };
        let sql = format!(
            "select time, {} from {} where {} = $1 and span = $2 and time >= $3 order by time limit 50000",
            self.columns.join(", "),
            self.table,
            self.owner
        );
        let rows = db.all(&sql, vec![owner.into(), span.into(), from.as_millis().into()]).await?;
        Ok((span, rows))
    }
}

/// Which samples.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleQuery {
    /// How many of the last minutes, 60 when left out: up to 60 every 5 s, beyond that every minute.
    #[param(minimum = 1, maximum = 43200)]
    minutes: Option<u32>,
}

impl SampleQuery {
    /// The time of the first sample.
    pub(crate) fn from(self, now: Timestamp) -> Timestamp {
        let span = Duration::from_secs(60 * u64::from(self.minutes.unwrap_or(60)));
        now.minus(span.min(SHOWN_FOR))
    }
}
