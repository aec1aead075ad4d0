//! Declarations of growing tables and their retention, one by each feature.

use std::time::Duration;

use db_kit::{Db, DbResult, Sql};
use futures_util::future::BoxFuture;
use kernel::Timestamp;

use crate::Portal;
use crate::features::settings::RetentionSettings;

/// Rows per transaction, so that other writers do not wait long.
const BATCH: i64 = 5000;

/// Rows with an age.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) table: &'static str,
    /// The column with a row's time.
    pub(crate) time: &'static str,
    /// A condition on deletable rows; empty for all.
    pub(crate) condition: &'static str,
    /// The unit of the column.
    pub(crate) counts: Counts,
}

/// The unit of a time column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) number: fn(Timestamp) -> i64,
    pub(crate) time: fn(i64) -> Timestamp,
}

/// Milliseconds since 1970.
pub(crate) const MILLIS: Counts = Counts { number: Timestamp::as_millis, time: Timestamp::from_millis };

/// How expired data is deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drop {
    /// Expired rows.
    Rows,
    /// Custom deletion; returns the number of deleted rows.
    By(fn(Portal, Timestamp) -> BoxFuture<'static, anyhow::Result<u64>>),
}

/// A kind of growing data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growing {
    /// Its identifier.
    pub(crate) name: &'static str,
    /// Its label in Chinese.
    pub(crate) title: &'static str,
    /// Reads its retention from the settings, in days; 0 = for ever.
    pub(crate) days: fn(&RetentionSettings) -> u16,
    pub(crate) rows: &'static [Rows],
    pub(crate) drop: Drop,
}

/// The number of rows, and the oldest time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) rows: i64,
    pub(crate) oldest: Option<Timestamp>,
}

impl Growing {
    /// Returns the time before which data is deleted; `None` if it is kept for ever.
    pub(crate) fn limit(&self, settings: &RetentionSettings, now: Timestamp) -> Option<Timestamp> {
        let days = (self.days)(settings);
        (days > 0).then(|| now.minus(Duration::from_secs(u64::from(days) * 24 * 3600)))
    }

    pub(crate) async fn extent(&self, db: &Db) -> DbResult<Extent> {
        let mut all = Extent::default();
        for rows in self.rows {
            let Rows { table, time, .. } = rows;
            let sql = format!("select count(*) as n, min({time}) as oldest from {table} {}", rows.clause("where"));
            let Some((n, oldest)) = db.pairs::<i64, Option<i64>>(&sql, vec![]).await?.pop() else { continue };
            let oldest = oldest.map(rows.counts.time);
            all = Extent { rows: all.rows + n, oldest: [all.oldest, oldest].into_iter().flatten().min() };
        }
        Ok(all)
    }

    /// Deletes what is older than this. Returns the number of rows.
    pub(crate) async fn drop_before(&self, portal: &Portal, limit: Timestamp) -> anyhow::Result<u64> {
        match self.drop {
            Drop::By(run) => run(portal.clone(), limit).await,
            Drop::Rows => {
                let mut dropped = 0;
                for rows in self.rows {
                    dropped += rows.drop_before(portal.db(), limit).await?;
                }
                Ok(dropped)
            }
        }
    }
}

impl Rows {
    fn clause(&self, word: &str) -> String {
        if self.condition.is_empty() { String::new() } else { format!("{word} {}", self.condition) }
    }

    /// Deletes the rows that are older than this. Returns their number.
    pub(crate) async fn drop_before(&self, db: &Db, limit: Timestamp) -> DbResult<u64> {
        let Self { table, time, .. } = self;
        let row = if db.is_postgres() { "ctid" } else { "rowid" };
        let sql = format!(
            "delete from {table} where {row} in (select {row} from {table} where {time} < $1 {} limit {BATCH})",
            self.clause("and")
        );
        let mut dropped = 0;
        loop {
            let tx = db.begin().await?;
            let gone = tx.run(&sql, vec![(self.counts.number)(limit).into()]).await?;
            tx.commit().await?;
            dropped += gone;
            if gone == 0 {
                return Ok(dropped);
            }
        }
    }
}
