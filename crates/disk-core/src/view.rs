//! A person's view of the disk, and the real place of each path in it. Pure.
//!
//! An ordinary user's root is virtual: `home` is their own home folder, `share` the public share, `groups` holds the
//! groups that they are in, `datasets` the datasets that they may see. An administrator's root is the disk's root.
//!
//! A scope makes one folder of this view the root of an ordinary user: with the scope `/home/work`, their path `/a` is
//! `/home/work/a`, no path is outside, and no link leads out of `/home/work`. The folder is created at the first visit
//! if the user may write there, unless the settings leave the creation of folders to administrators. Quotas count for
//! the space that it lies in, and rules match paths of the view without the scope, so that a scope does not change the
//! meaning of a rule. A scope that leads nowhere, such as the folder of a group that the user left, shows nothing.
//! Administrators have no scope, but an app password can confine them to a folder of their view, which then acts as a
//! scope.

use std::ffi::OsString;
use std::sync::Arc;

use kernel::Person;
use kernel::dataset::{DatasetFolder, is_version_folder};

use crate::error::{DiskError, DiskResult};
use crate::jail::{Found, Location, VirtualPath, is_reserved};
use crate::reason::Reason;
use crate::rules::Access;
use crate::space::{DATASETS, FOLDERS, GROUPS, HOME, SHARE, Space, is_fixed_folder};
use crate::usage::Account;

/// The meaning of a path in a view.
#[derive(Clone, Debug)]
pub enum Place {
    /// The made-up root, which holds these.
    Root,
    /// A virtual folder: the person's groups, or the datasets visible to them.
    Shelf(Shelf),
    /// Something real, whether it exists or not.
    At(Location),
    /// A name that this person's view has no room for.
    Nowhere,
}

/// A virtual folder whose entries the portal determines for each person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    Groups,
    Datasets,
}

impl Shelf {
    /// Its name in the root of a view.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groups => GROUPS,
            Self::Datasets => DATASETS,
        }
    }
}

/// What the disk's settings say about all views.
#[derive(Clone, Copy, Debug)]
pub struct ViewSettings {
    /// Ordinary users may not change the public share.
    pub share_read_only: bool,
    /// A home is made at its owner's first visit.
    pub make_homes: bool,
}

/// A person's window on the disk.
#[derive(Clone, Debug)]
pub struct View {
    admin: bool,
    person: Arc<Person>,
    settings: ViewSettings,
    access: Access,
    /// The folder that is the root, from the root of the whole view down.
    scope: Vec<String>,
    /// Number of real names up to the scope; 0 when the root is virtual.
    scope_base: usize,
    /// Nothing but this, for visitors of a share.
    shared: Option<Shared>,
}

/// A shared folder, which is the visitors' root, or a shared file, which is all that is in it.
#[derive(Clone, Debug)]
struct Shared {
    /// Free of links.
    location: Location,
    /// The file's name; `None` for a folder.
    file: Option<String>,
}

impl View {
    /// `None` when the person's name is not a valid folder name, so that they can have no home.
    pub fn new(
        admin: bool,
        person: Arc<Person>,
        settings: ViewSettings,
        access: Access,
        scope: &VirtualPath,
    ) -> Option<Self> {
        let name = VirtualPath::from_decoded(&person.username).ok()?;
        let fits = name.names() == [person.username.as_str()] && !is_reserved(person.username.as_bytes());
        let scope = scope.names().to_vec();
        let view = Self { admin, person, settings, access, scope, scope_base: 0, shared: None };
        let view = fits.then_some(view)?;
        let scope_base = match (!view.scope.is_empty()).then(|| view.place(&VirtualPath::default())) {
            Some(Place::At(root)) => root.names.len(),
            _ => 0,
        };
        Some(Self { scope_base, ..view })
    }

    /// The same person's view cut down to something found in it, for reading: a folder becomes the
    /// root, which no path and no link leads out of; a file becomes the root's only entry, by the
    /// name that it was found by.
    pub fn narrowed_to(&self, space: Space, found: &Found, name: &str, hide_dotfiles: bool) -> Self {
        let names = found.names.clone();
        let folder = found.meta.is_folder();
        let file = (!folder).then(|| name.to_owned());
        let (base, access) = (names.len(), self.access.clone());
        let access = if hide_dotfiles { access.without_dotfiles(base) } else { access };
        let location =
            Location { space, names, base, links: true, make_base: false, writable: false, access, fixed: folder };
        Self { shared: Some(Shared { location, file }), ..self.clone() }
    }

    /// The same person's view cut down to a folder that was found in it, for new files right in it. No link is followed.
    pub fn collecting_in(&self, space: Space, folder: &Found) -> Self {
        // To an administrator a whole space is an entry of the folder above; what is put into it counts to the space.
        let space = Space::rooted_at(&folder.names).unwrap_or(space);
        let mut view = self.narrowed_to(space, folder, "", false);
        if let Some(shared) = &mut view.shared {
            shared.location.links = false;
            shared.location.writable = true;
        }
        view
    }

    /// Where this path lies.
    pub fn place(&self, path: &VirtualPath) -> Place {
        let names: Vec<&str> = self.scope.iter().chain(path.names()).map(String::as_str).collect();
        if names.iter().any(|name| is_reserved(name.as_bytes())) {
            return Place::Nowhere;
        }
        if let Some(shared) = &self.shared {
            return shared.place(path.names());
        }
        if self.admin {
            let location = administrators(&names);
            let base = location.base.max(self.scope_base);
            let fixed = location.fixed || names.len() <= self.scope.len();
            return Place::At(Location { base, fixed, access: self.access.clone(), ..location });
        }
        match names[..] {
            [] => Place::Root,
            [HOME, ref below @ ..] => self.within(Space::Home(self.person.username.clone()), below, true),
            [SHARE, ref below @ ..] => self.within(Space::Share, below, !self.settings.share_read_only),
            [DATASETS] => Place::Shelf(Shelf::Datasets),
            [DATASETS, name, ..] => match self.dataset(name) {
                Some(dataset) => self.in_dataset(dataset, &names[1..]),
                None => Place::Nowhere,
            },
            [GROUPS] => Place::Shelf(Shelf::Groups),
            [GROUPS, group, ref below @ ..] if self.is_member(group) => {
                self.within(Space::Group(group.to_owned()), below, true)
            }
            _ => Place::Nowhere,
        }
    }

    fn within(&self, space: Space, below: &[&str], writable: bool) -> Place {
        let location = in_space(space, below);
        let base = location.base.max(self.scope_base);
        let fixed = location.names.len() <= base;
        let access = self.access.clone();
        let make_base = writable && (self.settings.make_homes || !matches!(location.space, Space::Home(_)));
        Place::At(Location { base, fixed, writable, make_base, access, ..location })
    }

    /// No path in a dataset, including links, leads into another, which the reader may not be allowed to see. Only the
    /// portal moves and deletes the folder itself.
    fn in_dataset(&self, dataset: &DatasetFolder, below: &[&str]) -> Place {
        let location = in_datasets(below);
        let own = Space::Datasets.names().len() + 1;
        let writable = dataset.writable && location.names.len() > own;
        let fixed = location.names.len() <= self.scope_base;
        let access = self.access.clone();
        Place::At(Location { base: self.scope_base.max(own), fixed, writable, access, ..location })
    }

    /// The location to read; 404 for a path that is not in the view.
    pub fn existing(&self, path: &VirtualPath) -> DiskResult<Location> {
        match self.place(path) {
            Place::At(location) => Ok(location),
            Place::Root | Place::Shelf(_) => Err(DiskError::bad_request(Reason::IsFolder)),
            Place::Nowhere => Err(DiskError::NotFound),
        }
    }

    /// The location to change; 403 where the person may change nothing, including the root.
    pub fn writable(&self, path: &VirtualPath) -> DiskResult<Location> {
        match self.place(path) {
            Place::At(location) if location.writable => Ok(location),
            _ => Err(DiskError::Forbidden),
        }
    }

    /// 403 where a rule denies a virtual folder itself; real ones are checked when they are opened.
    pub fn check_made_up(&self, place: &Place) -> DiskResult<()> {
        match place {
            Place::Root => self.access.check(&[]),
            Place::Shelf(shelf) => self.access.check(&[shelf.name().into()]),
            Place::At(_) | Place::Nowhere => Ok(()),
        }
    }

    /// Names in the virtual root, without those that a rule denies.
    pub fn root_names(&self) -> Vec<&'static str> {
        let shown = |name: &&str| match *name {
            HOME => self.access.allows(&self.home().names()),
            GROUPS if self.person.groups.is_empty() => false,
            name => self.access.allows(&[name.into()]),
        };
        FOLDERS.into_iter().filter(shown).collect()
    }

    /// Names in a virtual folder, without those that a rule denies.
    pub fn names_on(&self, shelf: Shelf) -> Vec<&str> {
        let names: Vec<&str> = match shelf {
            Shelf::Groups => self.person.groups.iter().map(|group| group.folder.as_str()).collect(),
            Shelf::Datasets => self.person.datasets.iter().map(|dataset| dataset.folder.as_str()).collect(),
        };
        names.into_iter().filter(|name| self.access.allows(&[shelf.name().into(), name.into()])).collect()
    }

    /// The real folders that this view is made of, each with its path in the whole view.
    pub fn roots(&self) -> Vec<(String, Location)> {
        let mut waiting = vec![VirtualPath::default()];
        let mut roots = Vec::new();
        while let Some(path) = waiting.pop() {
            let names: Vec<&str> = match self.place(&path) {
                Place::At(location) if !location.names.is_empty() => {
                    roots.push((self.unscoped(&path), location));
                    continue;
                }
                // An administrator's root is real but holds the disk's own folder too.
                Place::At(_) => FOLDERS.to_vec(),
                Place::Root => self.root_names(),
                Place::Shelf(shelf) => self.names_on(shelf),
                Place::Nowhere => Vec::new(),
            };
            // In reverse order, because the last element is taken first.
            waiting.extend(names.iter().rev().map(|name| path.join(name)));
        }
        roots
    }

    /// A path of this view in the whole view, without a slash at the end.
    pub fn unscoped(&self, path: &VirtualPath) -> String {
        let names: Vec<&str> = self.scope.iter().chain(path.names()).map(String::as_str).collect();
        format!("/{}", names.join("/"))
    }

    fn is_member(&self, folder: &str) -> bool {
        self.person.groups.iter().any(|group| group.folder == folder)
    }

    fn dataset(&self, folder: &str) -> Option<&DatasetFolder> {
        self.person.datasets.iter().find(|dataset| dataset.folder == folder)
    }

    /// The account that this space counts to, if it is this person's or one of their groups'.
    pub fn own_account(&self, space: &Space) -> Option<Account> {
        let own = || Account::of_person(&self.person.username, &self.person.own_datasets, self.person.disk_quota);
        match space {
            Space::Home(name) if *name == self.person.username => Some(own()),
            Space::Dataset(name) if self.person.own_datasets.contains(name) => Some(own()),
            Space::Group(name) => {
                let group = self.person.groups.iter().find(|group| group.folder == *name);
                group.map(|group| Account::only(space.clone(), group.disk_quota))
            }
            _ => None,
        }
    }

    /// Whether this person may see the total use of an account.
    pub fn may_see(&self, account: &Account) -> bool {
        self.admin || !account.is_another_persons(&self.home())
    }

    /// A real path as this person sees it; `None` outside of their view.
    pub(crate) fn said(&self, names: &[String]) -> Option<VirtualPath> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let said = match names[..] {
            _ if self.admin => names,
            [HOME, user, ref below @ ..] if user == self.person.username => [&[HOME], below].concat(),
            [SHARE | GROUPS | DATASETS, ..] => names,
            _ => return None,
        };
        let (scope, below) = said.split_at_checked(self.scope.len())?;
        let inside = scope.iter().zip(&self.scope).all(|(said, scope)| said == scope);
        inside.then(|| below.iter().fold(VirtualPath::default(), |path, name| path.join(name)))
    }

    /// What people call this person; their name on the platform where nothing else is known.
    pub fn display_name(&self) -> &str {
        if self.person.name.is_empty() { &self.person.username } else { &self.person.name }
    }

    /// The person's name on the platform.
    pub fn username(&self) -> &str {
        &self.person.username
    }

    /// The space whose use counts as this person's.
    pub fn home(&self) -> Space {
        Space::Home(self.person.username.clone())
    }
}

impl Shared {
    fn place(&self, names: &[String]) -> Place {
        match (&self.file, names) {
            (Some(file), [name]) if file == name => Place::At(self.location.clone()),
            (Some(_), _) => Place::Nowhere,
            (None, _) => {
                let mut location = self.location.clone();
                location.names.extend(names.iter().map(OsString::from));
                Place::At(Location { fixed: names.is_empty(), ..location })
            }
        }
    }
}

fn in_space(space: Space, below: &[&str]) -> Location {
    let mut names = space.names();
    let base = names.len();
    names.extend(below.iter().map(OsString::from));
    let fixed = names.len() == base;
    let access = Access::default();
    Location { space, names, base, links: true, make_base: false, writable: true, access, fixed }
}

/// A place in `datasets`, which links may lead about in.
fn in_datasets(below: &[&str]) -> Location {
    let location = in_space(Space::Datasets, below);
    let space = below.first().map_or(Space::Datasets, |folder| Space::dataset(folder));
    Location { space, ..location }
}

fn administrators(names: &[&str]) -> Location {
    match *names {
        [HOME, user, ref below @ ..] if !below.is_empty() => in_space(Space::Home(user.to_owned()), below),
        [GROUPS, group, ref below @ ..] if !below.is_empty() => in_space(Space::Group(group.to_owned()), below),
        [SHARE, ref below @ ..] if !below.is_empty() => in_space(Space::Share, below),
        // Versions of datasets are read-only for all users.
        [DATASETS, name, ref below @ ..] if is_version_folder(name) => {
            Location { writable: false, fixed: below.is_empty(), ..in_datasets(&names[1..]) }
        }
        [DATASETS, ref below @ ..] if !below.is_empty() => in_datasets(below),
        // The root, its folders, single homes and group folders as entries of these, and all other entries there: no
        // links are followed.
        _ => {
            let fixed = names.is_empty() || matches!(*names, [only] if is_fixed_folder(only.as_ref()));
            let names = names.iter().map(OsString::from).collect();
            let (space, access) = (Space::Top, Access::default());
            Location { space, names, base: 0, links: false, make_base: false, writable: true, access, fixed }
        }
    }
}
