//! Counts what the owners of datasets take, and tells the portal, which tells them when they are over their quota.

use std::time::Duration;

use anyhow::Context;
use background::{Duty, Scope};
use kernel::dataset::DiskUse;

use super::Account;
use crate::directory::QuotaHolder;
use crate::host::Host;
use crate::http::blocking;

static WATCH: Duty = Duty {
    name: "disk-quotas",
    title: "核对网盘配额",
    description: "统计有数据集的人用了多少网盘空间，超出配额的由平台通知本人",
    period: Duration::from_secs(60 * 60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};
/// People in one message to the portal.
const AT_ONCE: usize = 1000;

/// Watches until the disk stops.
pub(crate) fn keep_watching(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let look = async |host: Option<Host>| match host {
        Some(host) => look(&host).await,
        None => Ok(()),
    };
    tokio::spawn(async move { duties.repeat(&WATCH, stopped, || look(weak.upgrade())).await });
}

async fn look(host: &Host) -> anyhow::Result<()> {
    let owners = host.directory.dataset_owners().await.context("the portal does not say who owns datasets")?;
    let mut uses = Vec::with_capacity(owners.len());
    for owner in owners {
        uses.extend(use_of(host, owner).await);
        // A count that is broken off is too low.
        if host.stopped.is_cancelled() {
            return Ok(());
        }
    }
    for some in uses.chunks(AT_ONCE) {
        host.directory.disk_uses(some).await.context("the portal could not be told what people take")?;
    }
    Ok(())
}

/// None for what can't be counted now.
async fn use_of(host: &Host, owner: QuotaHolder) -> Option<DiskUse> {
    let person = owner.person?;
    let account = Account::of_person(&person.username, &owner.datasets, owner.disk_quota);
    let ledger = host.ledger.clone();
    match blocking(move || ledger.used_by(&account)).await {
        Ok(taken) => {
            Some(DiskUse { user: person.id, used: taken.used, datasets: taken.datasets, quota: owner.disk_quota })
        }
        Err(error) => {
            tracing::warn!(user.id = person.id, error = %error, "what somebody takes could not be counted");
            None
        }
    }
}
