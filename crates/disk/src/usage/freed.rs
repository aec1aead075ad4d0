//! Notifies the portal at once when a full account has space again through the disk's own deletions: the next count of
//! a large home may be hours away, and the disk knows what it deleted itself without walking anything.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use background::{Duty, Scope};
use disk_core::usage::{Account, Ledger};
use kernel::dataset::{DiskHolder, DiskUse};

use crate::host::Host;

static FREED: Duty = Duty {
    name: "disk-room",
    title: "告知网盘清理",
    description: "用完配额的人或组在网盘里清理出空间后，马上告知平台，不等下一次统计",
    period: Duration::from_secs(3),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Accounts that were full at the last report to the portal.
#[derive(Debug, Default)]
pub(crate) struct FullAccounts(Mutex<HashMap<DiskHolder, Account>>);

impl FullAccounts {
    fn all(&self) -> MutexGuard<'_, HashMap<DiskHolder, Account>> {
        // A single value: a poisoned lock leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the use that is about to be reported.
    pub(super) fn note(&self, found: &DiskUse, account: Account) {
        if found.used >= found.quota {
            self.all().insert(found.holder, account);
        } else {
            self.all().remove(&found.holder);
        }
    }

    /// The others are not counted any more.
    pub(super) fn keep_only(&self, counted: &HashSet<DiskHolder>) {
        self.all().retain(|holder, _| counted.contains(holder));
    }

    fn with_room(&self, ledger: &Ledger) -> Vec<DiskUse> {
        let all = self.all();
        let uses = all.iter().filter_map(|(holder, account)| {
            let taken = ledger.known(account).filter(|taken| taken.used < account.quota)?;
            let (used, datasets, counted) = (taken.used, taken.datasets, taken.counted);
            Some(DiskUse { holder: *holder, used, datasets, quota: account.quota, counted })
        });
        uses.collect()
    }
}

/// Polls until the disk stops.
pub(crate) fn keep_telling(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let look = async |host: Option<Host>| match host {
        Some(host) => look(&host).await,
        None => Ok(()),
    };
    tokio::spawn(async move { duties.repeat(&FREED, stopped, || look(weak.upgrade())).await });
}

async fn look(host: &Host) -> anyhow::Result<()> {
    let uses = host.full_accounts.with_room(&host.files.ledger);
    if uses.is_empty() {
        return Ok(());
    }
    host.directory.disk_uses(&uses).await.context("the portal could not be told who has made room")?;
    let mut all = host.full_accounts.all();
    for one in &uses {
        all.remove(&one.holder);
    }
    Ok(())
}
