//! The disk's view of users and groups. The portal has them; the disk queries it.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::dataset::{DatasetChore, DatasetLimits, DatasetReport, DiskUse};
use kernel::home::{HomeChore, HomeReport};
use kernel::{DiskChange, DiskEvent, Person, Role, UserId};
use serde::{Deserialize, Serialize};

/// An account, whether or not its owner ever used the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Never reused for another account.
    pub id: UserId,
    /// No two differ in case only.
    pub username: String,
    /// Administrators have all permissions, whatever their profile has.
    pub role: Role,
}

/// The owner of a folder whose quota is queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderOwner<'a> {
    /// The home of the user with this name.
    User(&'a str),
    /// The group folder of this name.
    Group(&'a str),
    /// The dataset with this folder.
    Dataset(&'a str),
}

/// The holder of a quota, and everything that counts to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaHolder {
    /// The person; `None` for the folder of a group, or when the account is gone.
    pub person: Option<HolderName>,
    /// The group, when all holders are queried and this one is a group.
    pub group: Option<HolderGroup>,
    /// Bytes that all of it may take together; 0 = no limit.
    pub disk_quota: u64,
    /// The folders of the person's own datasets, without their versions, whatever their state.
    pub datasets: Vec<String>,
    /// The number of the project that the file system is to count all of it as, where the lab wants that.
    pub project: Option<u32>,
    /// The lab does not want its use counted and reported, among all holders: it is listed for its project alone.
    #[serde(default)]
    pub uncounted: bool,
}

/// The number and the name of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderName {
    /// Never reused for another account.
    pub id: UserId,
    /// Also the name of the home folder.
    pub username: String,
}

/// The number and the folder of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderGroup {
    /// Never reused for another group.
    pub id: i64,
    /// Its name below `groups`.
    pub folder: String,
}

/// People and groups, as the portal has them now.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Returns the person; `None` when the account is gone. Called on every request, so an implementation over the
    /// network caches answers for a few seconds.
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Arc<Person>>>;

    /// Locks or unlocks a person's own changes of their password.
    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()>;

    /// Lists all accounts, by id. For administrators only, never cached.
    async fn accounts(&self) -> anyhow::Result<Vec<Account>>;

    /// Returns the quota of another person's folder in which an administrator is about to write, or of a dataset; no
    /// limit for folders whose owner is gone.
    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder>;

    /// Lists the people and groups with a quota whose use the disk is to count. Empty where the lab turned counting
    /// off.
    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>>;

    /// Reports their use; the portal sends notices of nearly full quotas, and acts on full ones.
    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()>;

    /// How many datasets and versions there may be, which the portal keeps to.
    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()>;

    /// Records a change before it is made, where administrators read it. If this fails the change is not made. A
    /// directory without a log records nothing.
    async fn record(&self, _change: &DiskChange) -> anyhow::Result<()> {
        Ok(())
    }

    /// Records events, each once however often it is sent. A directory without a log records nothing.
    async fn record_events(&self, _events: &[DiskEvent]) -> anyhow::Result<()> {
        Ok(())
    }

    /// Returns the pending chores of datasets' folders. Answers when there is a new one, or after a few seconds; a
    /// chore is returned again until its outcome is reported.
    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>>;

    /// How a chore ended.
    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()>;

    /// Returns the pending chores of the homes of people who leave. Answers at once; a chore is returned again until
    /// its outcome is reported.
    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>>;

    /// Reports the outcome of such a chore.
    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()>;
}
