//! The disk in the portal's own process: it asks the portal directly instead of over HTTP.

use async_trait::async_trait;
use disk::{Account, Directory, FolderOwner, GroupFolder, Person};
use kernel::UserId;
use portal::Portal;

/// The portal as the disk sees it.
#[derive(Clone, Debug)]
pub(crate) struct EmbeddedDirectory(pub(crate) Portal);

#[async_trait]
impl Directory for EmbeddedDirectory {
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Person>> {
        Ok(self.0.account(id).await?.map(|account| Person {
            username: account.username,
            role: account.role,
            disk_quota: account.disk_quota.unsigned_abs(),
            active: account.active,
            groups: account
                .groups
                .into_iter()
                .map(|group| GroupFolder { folder: group.folder, disk_quota: group.disk_quota.unsigned_abs() })
                .collect(),
        }))
    }

    async fn accounts(&self) -> anyhow::Result<Vec<Account>> {
        let accounts = self.0.accounts().await?.into_iter();
        Ok(accounts.map(|one| Account { id: one.id, username: one.username, role: one.role }).collect())
    }

    async fn quota(&self, owner: FolderOwner<'_>) -> anyhow::Result<u64> {
        let quota = match owner {
            FolderOwner::User(username) => self.0.home_quota(username).await?,
            FolderOwner::Group(folder) => self.0.group_folder_quota(folder).await?,
        };
        Ok(quota.unsigned_abs())
    }
}
