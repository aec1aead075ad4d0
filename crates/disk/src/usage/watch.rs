//! Counts the use of all accounts with a quota in turn, at a pace, and reports it to the portal, which shows the age of
//! the counts, sends notices of nearly full quotas, and acts on full ones. The same rounds tag files for project quotas,
//! also where nothing is to be counted.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Context;
use background::{Duty, Scope};
use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::projects;
use disk_core::space::Space;
use disk_core::usage::{Account, Pace, ROUNDS_PERCENT};
use kernel::dataset::{DiskHolder, DiskUse};

use crate::directory::QuotaHolder;
use crate::host::Host;

static WATCH: Duty = Duty {
    name: "disk-quotas",
    title: "统计网盘用量",
    description: "逐个统计有配额的个人文件夹、数据集和组文件夹，最多占用一个核的 5%；快用完和用完配额的由平台通知和处理",
    period: Duration::from_secs(30),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};
/// People and groups in one report to the portal.
const AT_ONCE: usize = 1000;
/// The portal waits no longer for counts that there are.
const TELL_AFTER: Duration = Duration::from_secs(5);

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
    let holders = host.directory.quota_holders().await.context("the portal does not say who has a quota")?;
    let (mut pace, mut told, mut uses) = (Pace::new(ROUNDS_PERCENT), Instant::now(), Vec::new());
    let mut counted = HashSet::new();
    for holder in holders {
        let (project, uncounted) = (holder.project, holder.uncounted);
        let Some((holder, account)) = account_of(holder) else { continue };
        if let Some(project) = project {
            pace = tag(host, account.clone(), project, pace).await?;
        }
        if host.stopped.is_cancelled() {
            return Ok(());
        }
        if uncounted {
            continue;
        }
        let found;
        (found, pace) = use_of(host, holder, account.clone(), pace).await?;
        // A count that is broken off is too low.
        if host.stopped.is_cancelled() {
            return Ok(());
        }
        counted.insert(holder);
        if let Some(found) = found {
            host.full_accounts.note(&found, account);
            uses.push(found);
        }
        if uses.len() >= AT_ONCE || told.elapsed() >= TELL_AFTER {
            tell(host, &mut uses).await?;
            told = Instant::now();
        }
    }
    host.full_accounts.keep_only(&counted);
    tell(host, &mut uses).await
}

/// A space that cannot be tagged is counted nevertheless.
async fn tag(host: &Host, account: Account, project: u32, mut pace: Pace) -> DiskResult<Pace> {
    let host = host.clone();
    blocking(move || {
        if let Err(error) = projects::keep(&host.files, &host.db, &account.spaces, project, &mut pace) {
            tracing::warn!(project, error = %error, "files could not be tagged for a project quota");
        }
        Ok(pace)
    })
    .await
}

async fn tell(host: &Host, uses: &mut Vec<DiskUse>) -> anyhow::Result<()> {
    if !uses.is_empty() {
        host.directory.disk_uses(uses).await.context("the portal could not be told what people take")?;
        uses.clear();
    }
    Ok(())
}

fn account_of(holder: QuotaHolder) -> Option<(DiskHolder, Account)> {
    let quota = holder.disk_quota;
    match (holder.person, holder.group) {
        (Some(person), _) => {
            let account = Account::of_person(&person.username, &holder.datasets, quota);
            Some((DiskHolder::User(person.id), account))
        }
        (None, Some(group)) => Some((DiskHolder::Group(group.id), Account::only(Space::Group(group.folder), quota))),
        (None, None) => None,
    }
}

/// Counts the use of an account with a quota at once; `None` when it has none.
pub(crate) async fn count_now(host: &Host, holder: DiskHolder) -> anyhow::Result<Option<DiskUse>> {
    let Some(account) = account_now(host, holder).await? else { return Ok(None) };
    let ledger = host.files.ledger.clone();
    let counted = blocking(move || {
        let (quota, taken) = (account.quota, ledger.count_again(&account)?);
        Ok(DiskUse { holder, used: taken.used, datasets: taken.datasets, quota, counted: taken.counted })
    });
    Ok(Some(counted.await?))
}

async fn account_now(host: &Host, holder: DiskHolder) -> anyhow::Result<Option<Account>> {
    if let DiskHolder::User(id) = holder {
        // Of several portals on one disk only the leader's disk gets the list of all accounts, but any may be asked to
        // count one.
        let person = host.directory.person(id).await.context("the portal does not say who this is")?;
        let limited = person.filter(|person| person.disk_quota > 0);
        return Ok(limited.map(|one| Account::of_person(&one.username, &one.own_datasets, one.disk_quota)));
    }
    let holders = host.directory.quota_holders().await.context("the portal does not say who has a quota")?;
    let counted = holders.into_iter().filter(|holder| !holder.uncounted);
    Ok(counted.filter_map(account_of).find(|(one, _)| *one == holder).map(|(_, account)| account))
}

/// `None` for an account that cannot be counted now.
async fn use_of(
    host: &Host,
    holder: DiskHolder,
    account: Account,
    mut pace: Pace,
) -> DiskResult<(Option<DiskUse>, Pace)> {
    let ledger = host.files.ledger.clone();
    blocking(move || {
        let quota = account.quota;
        let counted = account.spaces.iter().try_for_each(|space| ledger.count_at_pace(space, &mut pace));
        let found = match counted.and_then(|()| ledger.used_by(&account)) {
            Ok(taken) => {
                Some(DiskUse { holder, used: taken.used, datasets: taken.datasets, quota, counted: taken.counted })
            }
            Err(error) => {
                tracing::warn!(?holder, error = %error, "what somebody takes could not be counted");
                None
            }
        };
        Ok((found, pace))
    })
    .await
}
