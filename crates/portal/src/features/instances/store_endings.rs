//! Ends of instances, and the notices that were sent before them.

use std::time::Duration;

use db_kit::{DbResult, Record, Sql, Tx, Word};
use kernel::Timestamp;

use super::endings::Ending;

/// An instance that ends.
#[derive(Debug, Record)]
pub(super) struct EndRow {
    pub(super) id: String,
    pub(super) ends_at: Timestamp,
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Instances that end in at most this time, whose owners were not told since so long before that very end.
pub(super) async fn untold(db: &impl Sql, ending: Ending, now: Timestamp, before: Duration) -> DbResult<Vec<EndRow>> {
    let (column, condition) = match ending {
        Ending::Stop => ("stop_at", "i.suspended = '' and i.desired in ('running', 'restarted')"),
        Ending::IdleStop => ("idle_stop_at", "i.suspended = '' and i.desired in ('running', 'restarted')"),
        Ending::Release => ("keep_until", "i.desired <> 'released' and i.state in ('stopped', 'error')"),
    };
    let sql = format!(
        "select i.id, i.{column} as ends_at from instances i \
         where i.{column} > $1 and i.{column} <= $2 and {condition} \
         and not exists (select 1 from told_endings t where t.instance_id = i.id and t.ending = $3 \
         and t.ends_at = i.{column} and t.before_end <= $4) order by i.id"
    );
    let values =
        vec![now.as_millis().into(), now.plus(before).as_millis().into(), Word(ending).into(), millis(before).into()];
    db.all(&sql, values).await
}

/// Records the notice of an end. Returns false if another portal has recorded it already.
pub(super) async fn note_told(tx: &Tx, row: &EndRow, ending: Ending, before: Duration) -> DbResult<bool> {
    let sql = "insert into told_endings (instance_id, ending, ends_at, before_end) values ($1, $2, $3, $4) \
        on conflict (instance_id, ending) do update set ends_at = excluded.ends_at, before_end = excluded.before_end \
        where told_endings.ends_at <> excluded.ends_at or told_endings.before_end > excluded.before_end";
    let values = vec![row.id.as_str().into(), Word(ending).into(), row.ends_at.as_millis().into(), millis(before).into()];
    Ok(tx.run(sql, values).await? > 0)
}
