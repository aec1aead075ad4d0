//! Profiles of disk users.

use std::collections::HashMap;
use std::sync::Arc;

use db_kit::{Db, Tx};
use disk_core::error::{DiskError, DiskResult};
use disk_core::rules::{Access, RuleSet};
use kernel::{Actor, Clock, Timestamp, UserId};
use moka::sync::Cache;

use super::{Profile, store};
use crate::directory::Directory;
use crate::fresh::Fresh;
use crate::settings::Settings;

/// Maximum number of cached profiles and rules.
const MOST: u64 = 10_000;

/// Profiles in the database; those of active people are cached for a moment.
pub(crate) struct Profiles {
    db: Db,
    directory: Arc<dyn Directory>,
    clock: Arc<dyn Clock>,
    fresh: Fresh<UserId, Arc<Profile>>,
    compiled: Cache<UserId, Compiled>,
}

/// Compiled rules, with their sources.
#[derive(Clone, Debug)]
struct Compiled {
    settings: Arc<Settings>,
    profile: Arc<Profile>,
    rules: Arc<RuleSet>,
}

impl Profiles {
    pub(crate) fn new(db: Db, directory: Arc<dyn Directory>, clock: Arc<dyn Clock>) -> Self {
        Self { db, directory, clock, fresh: Fresh::new(MOST), compiled: Cache::new(MOST) }
    }

    /// Returns the user's profile; creates it from the defaults if it does not exist.
    pub(crate) async fn of(&self, id: UserId, settings: &Settings) -> DiskResult<Arc<Profile>> {
        self.fresh.get_or(id, self.load(id, settings)).await
    }

    async fn load(&self, id: UserId, settings: &Settings) -> DiskResult<Arc<Profile>> {
        if let Some(profile) = self.stored(id).await? {
            return Ok(Arc::new(profile));
        }
        let profile = settings.defaults.for_newcomer();
        self.insert(id, &profile).await?;
        // Another request may have been faster, with an administrator's word.
        Ok(Arc::new(self.stored(id).await?.unwrap_or(profile)))
    }

    /// The rules for a person: the global ones, then their own.
    pub(crate) fn access(&self, actor: &Actor, profile: &Arc<Profile>, settings: &Arc<Settings>) -> DiskResult<Access> {
        if settings.rules.is_empty() && profile.rules.is_empty() {
            return Ok(Access::default());
        }
        let is_same = |known: &Compiled| known.settings.rules == settings.rules && known.profile.rules == profile.rules;
        let rules = match self.compiled.get(&actor.id).filter(is_same) {
            Some(known) => known.rules,
            None => {
                let all = settings.rules.iter().chain(&profile.rules);
                let rules = Arc::new(RuleSet::compile(all).map_err(DiskError::internal)?);
                let (settings, profile) = (Arc::clone(settings), Arc::clone(profile));
                self.compiled.insert(actor.id, Compiled { settings, profile, rules: Arc::clone(&rules) });
                rules
            }
        };
        Ok(Access::new(rules, !actor.is_admin()))
    }

    /// The stored profile; `None` before the first visit.
    pub(super) async fn stored(&self, id: UserId) -> DiskResult<Option<Profile>> {
        store::profile(&self.db, id).await?.map(|text| read(&text)).transpose()
    }

    /// All profiles, by id.
    pub(super) async fn all(&self) -> DiskResult<Vec<(UserId, Profile)>> {
        let rows = store::profiles(&self.db).await?.into_iter();
        rows.map(|row| Ok((row.user_id, read(&row.profile)?))).collect()
    }

    /// Creates a first profile; returns whether there was none.
    pub(super) async fn insert(&self, id: UserId, profile: &Profile) -> DiskResult<bool> {
        if profile.lock_password {
            self.lock_password(id, true).await?;
        }
        let tx = self.db.begin().await?;
        let made = store::insert(&tx, id, write(profile)?, self.clock.now()).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Changes the stored profile; 404 if it does not exist.
    pub(super) async fn change(
        &self,
        id: UserId,
        change: impl Fn(&Profile) -> DiskResult<Profile> + Send,
    ) -> DiskResult<()> {
        let before = self.stored(id).await?.ok_or(DiskError::NotFound)?;
        let locked = change(&before)?.lock_password;
        if before.lock_password != locked {
            self.lock_password(id, locked).await?;
        }
        let tx = self.db.begin().await?;
        tx.serialize("disk_users").await?;
        let text = store::profile(&tx, id).await?.ok_or(DiskError::NotFound)?;
        store::update(&tx, id, write(&change(&read(&text)?)?)?, self.clock.now()).await?;
        tx.commit().await?;
        self.fresh.forget(&id);
        Ok(())
    }

    /// Sets the lock at the platform before anything is stored, outside of a transaction: the platform may be in this
    /// process, with the same database and its one writer. After a failure the caller retries.
    async fn lock_password(&self, id: UserId, locked: bool) -> DiskResult<()> {
        self.directory.lock_password(id, locked).await.map_err(DiskError::Unavailable)
    }

    /// Deletes a profile; the next visit creates one from the defaults. 404 if the user has no profile.
    pub(super) async fn reset(&self, id: UserId) -> DiskResult<()> {
        if self.stored(id).await?.is_some_and(|profile| profile.lock_password) {
            self.lock_password(id, false).await?;
        }
        let tx = self.db.begin().await?;
        if !store::delete(&tx, id).await? {
            return Err(DiskError::NotFound);
        }
        tx.commit().await?;
        self.fresh.forget(&id);
        Ok(())
    }
}

/// Creates a first profile in the caller's transaction; returns whether there was none.
pub(crate) async fn insert_within(tx: &Tx, id: UserId, profile: &Profile, at: Timestamp) -> DiskResult<bool> {
    Ok(store::insert(tx, id, write(profile)?, at).await?)
}

/// All profiles, by id.
pub(crate) async fn all_stored(db: &Db) -> DiskResult<HashMap<UserId, Profile>> {
    let rows = store::profiles(db).await?.into_iter();
    rows.map(|row| Ok((row.user_id, read(&row.profile)?))).collect()
}

fn read(text: &str) -> DiskResult<Profile> {
    serde_json::from_str(text).map_err(DiskError::internal)
}

fn write(profile: &Profile) -> DiskResult<String> {
    serde_json::to_string(profile).map_err(DiskError::internal)
}
