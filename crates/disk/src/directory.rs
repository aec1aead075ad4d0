//! What the disk needs to know of people and groups. The portal knows it; the disk asks.

use async_trait::async_trait;
use kernel::dataset::{DatasetChore, DatasetFolder, DatasetReport};
use kernel::{DiskChange, Role, UserId};
use serde::{Deserialize, Serialize};

/// Who somebody is on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Also the name of the home folder.
    pub username: String,
    /// Administrators see the whole disk and may do everything.
    pub role: Role,
    /// Bytes that the home may take; 0 = no limit.
    pub disk_quota: u64,
    /// A person who is switched off sees nothing.
    pub active: bool,
    /// The groups that the person is in.
    pub groups: Vec<GroupFolder>,
    /// The datasets, and versions of them, that the person sees. Others are not there for them.
    pub datasets: Vec<DatasetFolder>,
}

/// Somebody who has an account, whether they were ever on the disk or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Never given to anybody else.
    pub id: UserId,
    /// No two differ in case only.
    pub username: String,
    /// Administrators may do everything, whatever their profile says.
    pub role: Role,
}

/// A group's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupFolder {
    /// The folder's name below `groups`.
    pub folder: String,
    /// Bytes that it may take; 0 = no limit.
    pub disk_quota: u64,
}

/// Whose folder a quota is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderOwner<'a> {
    /// The home of the user with this name.
    User(&'a str),
    /// The group folder of this name.
    Group(&'a str),
}

/// People and groups as the portal knows them at this moment.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Who this is; nobody when the account is gone. Asked on every request, so an
    /// implementation over the network keeps answers for a few seconds.
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Person>>;

    /// Keeps somebody from changing their own password, or no longer.
    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()>;

    /// Everybody who has an account, by number. Asked by administrators only, never kept.
    async fn accounts(&self) -> anyhow::Result<Vec<Account>>;

    /// The quota of somebody else's folder, in which an administrator is about to write; 0 = no
    /// limit, also for folders whose owner is gone.
    async fn quota(&self, owner: FolderOwner<'_>) -> anyhow::Result<u64>;

    /// Keeps what somebody is about to change where administrators read it. Without an answer the
    /// change is not made. A directory without such a place keeps nothing.
    async fn record(&self, _change: &DiskChange) -> anyhow::Result<()> {
        Ok(())
    }

    /// What is to be done with the folders of datasets. Answers when there is something new, or
    /// after a few seconds; what was not reported is named again.
    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>>;

    /// How a chore ended.
    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()>;
}
