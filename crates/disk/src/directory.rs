//! What the disk needs to know of people and groups. The portal knows it; the disk asks.

use async_trait::async_trait;
use kernel::dataset::{DatasetChore, DatasetFolder, DatasetLimits, DatasetReport, DiskUse};
use kernel::home::{HomeChore, HomeReport};
use kernel::{DiskChange, DiskEvent, Role, UserId};
use serde::{Deserialize, Serialize};

/// Who somebody is on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Also the name of the home folder.
    pub username: String,
    /// Administrators see the whole disk and may do everything.
    pub role: Role,
    /// Bytes that the home may take together with the person's own datasets; 0 = no limit.
    pub disk_quota: u64,
    /// A person who is switched off sees nothing.
    pub active: bool,
    /// The groups that the person is in.
    pub groups: Vec<GroupFolder>,
    /// The datasets, and versions of them, that the person sees. Others are not there for them.
    pub datasets: Vec<DatasetFolder>,
    /// The folders of the person's own datasets, without their versions, whatever their state.
    pub own_datasets: Vec<String>,
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
    /// The dataset with this folder.
    Dataset(&'a str),
}

/// Whose quota it is that a folder counts to, and what else does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaHolder {
    /// The person; nobody for the folder of a group, or when the account is gone.
    pub person: Option<HolderName>,
    /// The group, where it is asked for all holders and this is one.
    pub group: Option<HolderGroup>,
    /// Bytes that all of it may take together; 0 = no limit.
    pub disk_quota: u64,
    /// The folders of the person's own datasets, without their versions, whatever their state.
    pub datasets: Vec<String>,
    /// The number of the project that the file system is to count all of it as, where the lab wants that.
    pub project: Option<u32>,
}

/// The number and the name of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderName {
    /// Never given to anybody else.
    pub id: UserId,
    /// Also the name of the home folder.
    pub username: String,
}

/// The number and the folder of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderGroup {
    /// Never given to another group.
    pub id: i64,
    /// Its name below `groups`.
    pub folder: String,
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

    /// The quota of somebody else's folder, in which an administrator is about to write, or of a dataset;
    /// no limit for folders whose owner is gone.
    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder>;

    /// Every person and group with a quota, for the disk that is asked to count what they take. Nobody, where the lab
    /// does not want that counted.
    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>>;

    /// What those take; the portal tells who has nearly used up their quota, and acts when it is used up.
    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()>;

    /// How many datasets and versions there may be, which the portal keeps to.
    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()>;

    /// Keeps what somebody is about to change where administrators read it. Without an answer the
    /// change is not made. A directory without such a place keeps nothing.
    async fn record(&self, _change: &DiskChange) -> anyhow::Result<()> {
        Ok(())
    }

    /// Keeps what was done, each entry once however often it is sent. A directory without such a place keeps nothing.
    async fn record_events(&self, _events: &[DiskEvent]) -> anyhow::Result<()> {
        Ok(())
    }

    /// What is to be done with the folders of datasets. Answers when there is something new, or
    /// after a few seconds; what was not reported is named again.
    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>>;

    /// How a chore ended.
    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()>;

    /// What is to be done with the homes of people who leave. Answers at once; what was not reported is named again.
    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>>;

    /// How one of these ended.
    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()>;
}
