//! The disk in the portal's own process: it calls the portal directly instead of over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use disk::{Account, Directory, FolderOwner, HolderGroup, HolderName, QuotaHolder};
use kernel::dataset::{DatasetChore, DatasetLimits, DatasetReport, DiskHolder, DiskUse};
use kernel::home::{HomeChore, HomeReport};
use kernel::{DiskChange, DiskEvent, Person, UserId};
use portal::{DatasetHolder, Portal};

/// The portal as the disk sees it.
#[derive(Clone, Debug)]
pub(crate) struct EmbeddedDirectory {
    portal: Portal,
    asked_by: AskedBy,
}

/// The querying disk, which determines whether it has the folders of datasets: two disks must not both create one.
#[derive(Clone, Copy, Debug)]
enum AskedBy {
    /// The disk in this process, without storage hosts.
    OwnDisk,
    /// The disk in this process, beside storage hosts, which have the datasets and the homes.
    OwnDiskBesideHosts,
    StorageHost,
}

impl EmbeddedDirectory {
    /// For the disk in this process.
    pub(crate) fn for_own_disk(portal: Portal, has_storage_hosts: bool) -> Self {
        Self { portal, asked_by: if has_storage_hosts { AskedBy::OwnDiskBesideHosts } else { AskedBy::OwnDisk } }
    }

    /// For a disk that queries over the network.
    pub(crate) fn for_another_host(portal: Portal) -> Self {
        Self { portal, asked_by: AskedBy::StorageHost }
    }
}

fn holder(one: DatasetHolder) -> QuotaHolder {
    let DatasetHolder { id, username, disk_quota, datasets } = one;
    let person = Some(HolderName { id, username });
    QuotaHolder { person, disk_quota: disk_quota.unsigned_abs(), datasets, ..QuotaHolder::default() }
}

#[async_trait]
impl Directory for EmbeddedDirectory {
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Arc<Person>>> {
        self.portal.person(id).await
    }

    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        self.portal.lock_password(id, locked).await
    }

    async fn accounts(&self) -> anyhow::Result<Vec<Account>> {
        let accounts = self.portal.accounts().await?.into_iter();
        Ok(accounts.map(|one| Account { id: one.id, username: one.username, role: one.role }).collect())
    }

    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder> {
        Ok(match owner {
            FolderOwner::User(username) => self.portal.holder_of_home(username).await?.map(holder).unwrap_or_default(),
            FolderOwner::Dataset(folder) => {
                self.portal.holder_of_dataset(folder).await?.map(holder).unwrap_or_default()
            }
            FolderOwner::Group(folder) => {
                let disk_quota = self.portal.group_folder_quota(folder).await?.unsigned_abs();
                QuotaHolder { disk_quota, ..QuotaHolder::default() }
            }
        })
    }

    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>> {
        match self.asked_by {
            // This disk has none of their folders.
            AskedBy::OwnDiskBesideHosts => Ok(Vec::new()),
            // Of several portals on one disk only the leader's counts.
            AskedBy::OwnDisk if !self.portal.leads() => Ok(Vec::new()),
            AskedBy::OwnDisk | AskedBy::StorageHost => {
                let Some(holders) = self.portal.quota_holders().await? else { return Ok(Vec::new()) };
                let project = |holder: DiskHolder| holder.project().filter(|_| holders.projects);
                let people = holders.people.into_iter().map(|person| {
                    let project = project(DiskHolder::User(person.id));
                    QuotaHolder { project, ..holder(person) }
                });
                let groups = holders.groups.into_iter().map(|group| QuotaHolder {
                    project: project(DiskHolder::Group(group.id)),
                    group: Some(HolderGroup { id: group.id, folder: group.folder }),
                    disk_quota: group.disk_quota.unsigned_abs(),
                    ..QuotaHolder::default()
                });
                let uncounted = !holders.counted;
                let all = people.chain(groups).map(|holder| QuotaHolder { uncounted, ..holder });
                Ok(all.filter(|holder| !holder.uncounted || holder.project.is_some()).collect())
            }
        }
    }

    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        self.portal.note_disk_uses(uses).await
    }

    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()> {
        match self.asked_by {
            AskedBy::OwnDiskBesideHosts => Ok(()),
            AskedBy::OwnDisk | AskedBy::StorageHost => self.portal.set_dataset_limits(limits).await,
        }
    }

    async fn record(&self, change: &DiskChange) -> anyhow::Result<()> {
        self.portal.record_disk_change(change).await
    }

    async fn record_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        self.portal.record_disk_events(events).await
    }

    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>> {
        match self.asked_by {
            AskedBy::StorageHost => self.portal.dataset_chores(None).await,
            AskedBy::OwnDiskBesideHosts => std::future::pending().await,
            AskedBy::OwnDisk => {
                // Of several portals on one disk only the leader's does them.
                if self.portal.leads() { self.portal.dataset_chores(None).await } else { Ok(Vec::new()) }
            }
        }
    }

    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()> {
        self.portal.dataset_report(report).await
    }

    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>> {
        match self.asked_by {
            AskedBy::StorageHost => self.portal.home_chores(None).await,
            AskedBy::OwnDiskBesideHosts => Ok(Vec::new()),
            // As with datasets.
            AskedBy::OwnDisk if self.portal.leads() => self.portal.home_chores(None).await,
            AskedBy::OwnDisk => Ok(Vec::new()),
        }
    }

    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()> {
        self.portal.home_report(report).await
    }
}
