//! Marks of the time that each run leaves for the next one, in a table of the owner's.

use std::time::Duration;

use db_kit::{DbResult, FromQueryResult, Sql};
use kernel::guarded_clock::Mark;
use kernel::{GuardedClock, Hold, HoldReason, Timestamp};

/// A table of marks, by its name. The portal and a separate storage host have one each, of the same shape.
#[derive(Clone, Copy, Debug)]
pub struct ClockMarks {
    table: &'static str,
}

#[derive(FromQueryResult)]
struct Row {
    trusted: i64,
    /// Empty while the clock is held since a start of the machine.
    boot_id: String,
    uptime_ms: i64,
    held_since: Option<i64>,
}

impl ClockMarks {
    /// The table of this name.
    #[must_use]
    pub const fn of(table: &'static str) -> Self {
        Self { table }
    }

    /// Lets the clock compare itself with the mark of this process's last run, if there was one. To be called before
    /// any reading of the time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn resume(&self, db: &impl Sql, process: &str, clock: &GuardedClock) -> DbResult<()> {
        let sql = format!("select trusted, boot_id, uptime_ms, held_since from {} where portal = $1", self.table);
        let Some(row) = db.first::<Row>(&sql, vec![process.into()]).await? else { return Ok(()) };
        let same_boot = !row.boot_id.is_empty() && row.boot_id == boot_id();
        let reason = if row.boot_id.is_empty() { HoldReason::Absence } else { HoldReason::Jump };
        clock.resume(Mark {
            trusted: Timestamp::from_millis(row.trusted),
            steady: same_boot.then(|| Duration::from_millis(row.uptime_ms.unsigned_abs())),
            hold: row.held_since.map(|since| Hold { reason, since: Timestamp::from_millis(since) }),
        });
        Ok(())
    }

    /// Writes the mark that the next run compares itself with.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn write(&self, db: &impl Sql, process: &str, clock: &GuardedClock) -> DbResult<()> {
        let mark = clock.mark();
        let uptime = mark.steady.unwrap_or_default().as_millis();
        let boot_id = mark.steady.map(|_| boot_id()).unwrap_or_default();
        let sql = format!(
            "insert into {} (portal, trusted, boot_id, uptime_ms, held_since) values ($1, $2, $3, $4, $5) \
            on conflict (portal) do update set trusted = excluded.trusted, boot_id = excluded.boot_id, \
            uptime_ms = excluded.uptime_ms, held_since = excluded.held_since",
            self.table
        );
        let values = vec![
            process.into(),
            mark.trusted.as_millis().into(),
            boot_id.into(),
            i64::try_from(uptime).unwrap_or(i64::MAX).into(),
            mark.hold.map(|hold| hold.since.as_millis()).into(),
        ];
        db.run(&sql, values).await.map(drop)
    }
}

/// Identifies this boot of the machine: its steady clock is meaningless after another one.
fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}
