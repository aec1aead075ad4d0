//! Purges entries whose time is over.

use std::time::Duration;

use background::{Duty, Scope};
use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::trash::keep_for;

use crate::host::Host;

static EXPIRY: Duty = Duty {
    name: "expired-trash",
    title: "清理回收站",
    description: "彻底删除在回收站里超过保留天数的文件",
    period: Duration::from_secs(60 * 60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: true,
};
/// Purged in one batch, after which other tasks get their turn at the database.
const BATCH: i64 = 200;

/// Purges now and then until the disk stops.
pub(crate) fn keep_purging(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let purge = async |host: Option<Host>| match host {
        Some(host) => Ok(purge_expired(&host).await?),
        None => Ok(()),
    };
    tokio::spawn(async move { duties.repeat(&EXPIRY, stopped, || purge(weak.upgrade())).await });
}

async fn purge_expired(host: &Host) -> DiskResult<()> {
    let days = host.settings.get().await?.trash_days;
    let before = host.clock.now().minus(keep_for(days));
    loop {
        let expired = host.files.trash.older_than(before, BATCH).await?;
        if expired.is_empty() || host.stopped.is_cancelled() {
            return Ok(());
        }
        let host = host.clone();
        blocking(move || {
            for deleted in &expired {
                if !host.files.trash.purge(deleted)? {
                    host.files.trash.drop_row(deleted)?;
                }
            }
            Ok(())
        })
        .await?;
    }
}
