//! Views that were made a moment ago: a person's next request uses the same one, as long as nothing that it was made of
//! has changed.

use std::sync::Arc;
use std::time::Duration;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::view::View;
use kernel::{Actor, Person, UserId};
use moka::sync::Cache;

use super::{Profile, Profiles};
use crate::settings::Settings;

/// Views that are kept.
const MOST: u64 = 10_000;
/// How long they are after their last use, with the settings and the profile that they were made of.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// What a view is made of, besides the actor.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) person: Arc<Person>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) settings: Arc<Settings>,
}

#[derive(Debug)]
struct Made {
    sources: Sources,
    admin: bool,
    folder: Option<String>,
    view: Arc<View>,
}

/// The view of each active person.
#[derive(Debug)]
pub(crate) struct Views(Cache<UserId, Arc<Made>>);

impl Default for Views {
    fn default() -> Self {
        Self(Cache::builder().time_to_idle(KEPT_FOR).max_capacity(MOST).build())
    }
}

impl Views {
    /// Returns the actor's view; 403 if the name cannot be a folder's, or the folder of the app password is not a path.
    pub(crate) fn of(&self, actor: &Actor, sources: &Sources, profiles: &Profiles) -> DiskResult<Arc<View>> {
        if let Some(made) = self.0.get(&actor.id).filter(|made| made.is_of(actor, sources)) {
            return Ok(Arc::clone(&made.view));
        }
        let Sources { person, profile, settings } = sources;
        let access = profiles.access(actor, profile, settings)?;
        let scope = scope_of(actor, profile)?;
        let view = View::new(actor.is_admin(), Arc::clone(person), settings.of_views(), access, &scope);
        let view = Arc::new(view.ok_or(DiskError::Forbidden)?);
        let (sources, folder) = (sources.clone(), actor.folder.clone());
        let made = Made { sources, admin: actor.is_admin(), folder, view: Arc::clone(&view) };
        self.0.insert(actor.id, Arc::new(made));
        Ok(view)
    }
}

impl Made {
    fn is_of(&self, actor: &Actor, sources: &Sources) -> bool {
        // A storage host receives the person anew with each query, so the person is compared by content.
        self.sources.person == sources.person
            && Arc::ptr_eq(&self.sources.profile, &sources.profile)
            && Arc::ptr_eq(&self.sources.settings, &sources.settings)
            && self.admin == actor.is_admin()
            && self.folder == actor.folder
    }
}

/// Returns the root of the person's view: their scope, narrowed to the folder of their app password.
fn scope_of(actor: &Actor, profile: &Profile) -> DiskResult<VirtualPath> {
    // Administrators have no scope.
    let own = if actor.is_admin() { "/" } else { &profile.scope };
    let scope = VirtualPath::from_decoded(own).map_err(DiskError::internal)?;
    let Some(folder) = &actor.folder else { return Ok(scope) };
    let folder = VirtualPath::from_decoded(folder).map_err(|_| DiskError::Forbidden)?;
    Ok(folder.names().iter().fold(scope, |scope, name| scope.join(name)))
}
