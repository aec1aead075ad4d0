//! The holders of disk quotas: a user's quota covers their home and the datasets that they own. The disk asks which
//! folders count together; `disk_space` keeps their usage.

use kernel::UserId;

use super::store_owners;
use crate::Portal;
use crate::features::{groups, settings, users};

/// A user, with the folders that count to their quota besides the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetHolder {
    /// Never reused.
    pub id: UserId,
    /// The name, which is also the home folder's.
    pub username: String,
    /// Bytes on the disk; 0 is no limit.
    pub disk_quota: i64,
    /// The folders of their own datasets, without versions.
    pub datasets: Vec<String>,
}

/// A group whose folder has a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderHolder {
    /// Never given to another group.
    pub id: i64,
    /// The folder's name below `groups`.
    pub folder: String,
    /// Bytes; never 0.
    pub disk_quota: i64,
}

/// All that have a quota of the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaHolders {
    /// People by number.
    pub people: Vec<DatasetHolder>,
    /// Groups by number.
    pub groups: Vec<FolderHolder>,
    /// Whether what they use should be counted and reported.
    pub counted: bool,
    /// Whether the file system should enforce the quotas (project quotas), where it can.
    pub projects: bool,
}

impl Portal {
    /// Returns the user whose home has exactly this name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn holder_of_home(&self, username: &str) -> anyhow::Result<Option<DatasetHolder>> {
        let Some(user) = users::login_user(self.db(), username).await? else { return Ok(None) };
        let holder = self.holder(user.id).await?;
        Ok(holder.filter(|holder| holder.username == username))
    }

    /// Returns the owner of the dataset with this folder.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn holder_of_dataset(&self, folder: &str) -> anyhow::Result<Option<DatasetHolder>> {
        match store_owners::owner_of(self.db(), folder).await? {
            Some(owner) => self.holder(owner).await,
            None => Ok(None),
        }
    }

    async fn holder(&self, id: UserId) -> anyhow::Result<Option<DatasetHolder>> {
        let Some(facts) = users::disk_facts(self.db(), id).await? else { return Ok(None) };
        let datasets = store_owners::owned_by(self.db(), id).await?;
        Ok(Some(DatasetHolder { id, username: facts.username, disk_quota: facts.disk_quota, datasets }))
    }

    /// Every person and group with a quota; `None` where the settings want them neither counted nor limited by the file
    /// system.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn quota_holders(&self) -> anyhow::Result<Option<QuotaHolders>> {
        let db = self.db();
        let space = settings::read(db).await?.space;
        let (counted, projects) = (space.count, space.project_quotas);
        if !counted && !projects {
            return Ok(None);
        }
        let mut owned = store_owners::owned(db).await?;
        let people = users::with_disk_quota(db).await?.into_iter().map(|person| {
            let datasets = owned.remove(&person.id).unwrap_or_default();
            DatasetHolder { id: person.id, username: person.username, disk_quota: person.disk_quota, datasets }
        });
        let people = people.collect();
        let groups = groups::with_disk_quota(db).await?.into_iter().map(|group| {
            let groups::WithDiskQuota { id, folder, disk_quota, .. } = group;
            FolderHolder { id, folder, disk_quota }
        });
        Ok(Some(QuotaHolders { people, groups: groups.collect(), counted, projects }))
    }
}
