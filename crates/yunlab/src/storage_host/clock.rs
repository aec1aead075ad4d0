//! The trusted clock of a storage host, which also compares itself with its portal's and reports its state there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use background::{ClockMarks, Duties, Duty, Scope};
use db_kit::Db;
use kernel::guarded_clock::{Witness, judge};
use kernel::{Clock, GuardedClock};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::RemotePortal;

const MARKS: ClockMarks = ClockMarks::of("disk_clock_marks");
/// A host has its database for itself.
const SELF: &str = "storage-host";

static CLOCK: Duty = Duty {
    name: "clock",
    title: "核对系统时间",
    description: "与单调时钟和平台的时钟比对；时间跳变时暂停清理回收站和中断的上传",
    period: Duration::from_secs(15),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Compares the clock with the last run's mark, and keeps comparing it until the returned handle is dropped.
///
/// # Errors
/// When the database fails.
pub(crate) async fn keep_clock(
    clock: &Arc<dyn Clock>,
    db: &Db,
    duties: &Duties,
    portal: &Arc<RemotePortal>,
) -> anyhow::Result<AbortOnDropHandle<()>> {
    disk::prepare_database(db).await?;
    if let Some(guarded) = clock.guarded() {
        MARKS.resume(db, SELF, guarded).await?;
    }
    let (clock, db, duties, portal) = (Arc::clone(clock), db.clone(), duties.clone(), Arc::clone(portal));
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        let logged = LoggedHold::default();
        let look = async || match clock.guarded() {
            Some(guarded) => look(guarded, &db, &portal, &logged).await,
            None => Ok(()),
        };
        duties.repeat(&CLOCK, CancellationToken::new(), look).await;
    })))
}

/// What the log says about the clock, so that a state is logged once and not at every look.
#[derive(Debug, Default)]
struct LoggedHold(AtomicBool);

impl LoggedHold {
    /// Whether this state is not in the log yet; now it is.
    fn is_news(&self, held: bool) -> bool {
        self.0.swap(held, Ordering::Relaxed) != held
    }
}

async fn look(clock: &GuardedClock, db: &Db, portal: &RemotePortal, logged: &LoggedHold) -> anyhow::Result<()> {
    if let Some(hold) = clock.hold() {
        let (wall, now) = (clock.wall(), clock.now());
        if logged.is_news(true) {
            tracing::error!(clock.wall = %wall, clock.now = %now, reason = ?hold.reason, "the clock is not trusted");
        }
        let witnesses: Vec<Witness> =
            portal.time().await.ok().map(|time| Witness { time, independent: true }).into_iter().collect();
        if judge(hold, wall, now, &witnesses) {
            clock.release();
            if logged.is_news(false) {
                tracing::warn!(clock.now = %clock.now(), "the clock is trusted again");
            }
        }
    }
    MARKS.write(db, SELF, clock).await?;
    if let Err(error) = portal.tell_clock(clock).await {
        tracing::debug!(error = format!("{error:#}"), "the portal could not be told about the clock");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_logged_once() {
        let logged = LoggedHold::default();
        let news = [false, true, true, true, false, false, true].map(|held| logged.is_news(held));
        assert_eq!(news, [false, true, false, false, true, false, true]);
    }
}
