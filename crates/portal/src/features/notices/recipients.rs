//! Recipients of a notice: collected by the feature that sends it, each person once.

use std::collections::BTreeSet;

use db_kit::Sql;
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use crate::features::{groups, users};

/// The recipients of a notice. Deleted and disabled users are skipped when it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recipients(BTreeSet<UserId>);

impl Recipients {
    /// These users.
    pub(crate) fn people(people: impl IntoIterator<Item = UserId>) -> Self {
        Self(people.into_iter().collect())
    }

    /// Adds all administrators.
    ///
    /// # Errors
    /// If the database fails, as in the next one.
    pub(crate) async fn and_administrators(mut self, db: &impl Sql) -> ApiResult<Self> {
        self.0.extend(users::administrators(db).await?);
        Ok(self)
    }

    /// The leaders of the groups too that a person has been in since then.
    pub(crate) async fn and_leaders_since(
        mut self,
        db: &impl Sql,
        person: UserId,
        since: Timestamp,
    ) -> ApiResult<Self> {
        self.0.extend(groups::leaders_since(db, person, since).await?);
        Ok(self)
    }

    /// Removes a person: people get no notices of their own actions.
    pub(crate) fn but(mut self, person: UserId) -> Self {
        self.0.remove(&person);
        self
    }

    pub(super) fn ids(&self) -> Vec<UserId> {
        self.0.iter().copied().collect()
    }
}
