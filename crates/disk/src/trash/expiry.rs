//! Purging what was kept long enough.

use std::time::Duration;

use super::model::keep_for;
use super::store;
use crate::error::DiskResult;
use crate::host::Host;
use crate::http::blocking;

/// How often it is looked after.
const EVERY: Duration = Duration::from_secs(60 * 60);
/// Purged in one go, after which others get their turn at the database.
const BATCH: i64 = 200;

/// Purges now and then until the disk stops.
pub(crate) fn keep_purging(host: &Host) {
    let (stopped, weak) = (host.stopped.clone(), host.downgrade());
    tokio::spawn(stopped.run_until_cancelled_owned(async move {
        let mut turns = tokio::time::interval(EVERY);
        loop {
            turns.tick().await;
            let Some(host) = weak.upgrade() else { return };
            if let Err(error) = purge_expired(&host).await {
                tracing::warn!(error = %error, "old trash could not be purged");
            }
        }
    }));
}

async fn purge_expired(host: &Host) -> DiskResult<()> {
    let days = host.settings.get().await?.trash_days;
    let before = host.clock.now().minus(keep_for(days));
    loop {
        let expired = store::older_than(host.trash.db(), before, BATCH).await?;
        if expired.is_empty() || host.stopped.is_cancelled() {
            return Ok(());
        }
        let host = host.clone();
        blocking(move || {
            for deleted in &expired {
                if !host.trash.purge(deleted)? {
                    host.trash.drop_row(deleted)?;
                }
            }
            Ok(())
        })
        .await?;
    }
}
