//! A person as the disk needs them: their account, groups and datasets.

use std::sync::Arc;

use kernel::{Person, Role, UserId};

use super::{store_folders, store_owners};
use crate::Portal;
use crate::features::{groups, users};

impl Portal {
    /// Returns a person as the disk needs them; `None` when there is no such user.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn person(&self, id: UserId) -> anyhow::Result<Option<Arc<Person>>> {
        let missed = match self.recent_people().get(&id, self.db()).await {
            Ok(person) => return Ok(Some(person)),
            Err(missed) => missed,
        };
        let Some(facts) = users::disk_facts(self.db(), id).await? else { return Ok(None) };
        let person = Arc::new(Person {
            role: Role::try_from(facts.role)?,
            active: facts.active,
            disk_quota: facts.disk_quota.unsigned_abs(),
            username: facts.username,
            name: facts.name,
            groups: groups::folders_of(self.db(), id).await?,
            datasets: store_folders::folders_of(self.db(), id).await?,
            own_datasets: store_owners::owned_by(self.db(), id).await?,
        });
        self.recent_people().keep(id, missed, Arc::clone(&person));
        Ok(Some(person))
    }
}
