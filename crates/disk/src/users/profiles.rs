//! The profiles of those who are here now.

use std::sync::Arc;
use std::time::Duration;

use db_kit::Db;
use kernel::{Actor, Clock, UserId};
use moka::sync::Cache;

use super::{Profile, store};
use crate::error::{DiskError, DiskResult};
use crate::permissions::Permissions;
use crate::rules::{Access, RuleSet};
use crate::settings::Settings;

/// Another process on the same database may change a profile; this process's own changes count
/// at once.
const FRESH_FOR: Duration = Duration::from_secs(5);
const MOST: u64 = 10_000;

/// Profiles as they are in the database, kept for a moment.
#[derive(Debug)]
pub(crate) struct Profiles {
    db: Db,
    clock: Arc<dyn Clock>,
    fresh: Cache<UserId, Arc<Profile>>,
}

impl Profiles {
    pub(crate) fn new(db: Db, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock, fresh: Cache::builder().time_to_live(FRESH_FOR).max_capacity(MOST).build() }
    }

    /// This person's profile, made from the defaults when there is none. The platform's
    /// administrators may do everything.
    pub(crate) async fn of(&self, actor: &Actor, settings: &Settings) -> DiskResult<Arc<Profile>> {
        let profile = match self.fresh.get(&actor.id) {
            Some(profile) => profile,
            None => {
                let profile = Arc::new(self.load(actor.id, settings).await?);
                self.fresh.insert(actor.id, Arc::clone(&profile));
                profile
            }
        };
        if actor.is_admin() && profile.perm != Permissions::ALL {
            return Ok(Arc::new(Profile { perm: Permissions::ALL, ..Profile::clone(&profile) }));
        }
        Ok(profile)
    }

    async fn load(&self, id: UserId, settings: &Settings) -> DiskResult<Profile> {
        if let Some(text) = store::profile(&self.db, id).await? {
            return serde_json::from_str(&text).map_err(DiskError::internal);
        }
        let profile = settings.defaults.for_newcomer();
        let text = serde_json::to_string(&profile).map_err(DiskError::internal)?;
        store::insert(&self.db, id, text, self.clock.now()).await?;
        Ok(profile)
    }

    /// The rules that hold for somebody: the global ones, then their own.
    pub(crate) fn access(profile: &Profile, settings: &Settings, admin: bool) -> DiskResult<Access> {
        if settings.rules.is_empty() && profile.rules.is_empty() {
            return Ok(Access::default());
        }
        let rules = RuleSet::compile(settings.rules.iter().chain(&profile.rules)).map_err(DiskError::internal)?;
        Ok(Access::new(Arc::new(rules), !admin))
    }
}
