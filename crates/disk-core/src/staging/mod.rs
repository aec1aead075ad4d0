//! Staging areas, for entries before they are in place and after they have left it: unfinished uploads and copies, the
//! trash, and entries that are being deleted.
//!
//! A rename makes all changes atomic, and it works within one mount only. So each mount in which people write has its
//! own staging folder: `.yunlab` in the topmost folder of that mount, which is the disk's root unless an administrator
//! mounted another file system below it.

mod purge;
mod temporary;

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

use crate::error::DiskResult;
use crate::jail::{FOLDER, Jail, Location, Meta, RESERVED_NAME, names_in};
use crate::projects::Projects;
use crate::rules::Access;
use crate::space::{FOLDERS, GROUPS, HOME, Space};

pub(crate) use purge::take;
pub use temporary::{Temporary, TemporaryFile};

/// Only the disk itself has access.
const PRIVATE: Mode = Mode::from_raw_mode(0o700);

/// The staging folders of one mount.
#[derive(Debug)]
pub struct Area {
    pub uploads: OwnedFd,
    pub removing: OwnedFd,
    /// What was deleted and can be brought back.
    pub trash: OwnedFd,
    /// Uploads that can be resumed; they outlast a restart.
    pub tus: OwnedFd,
}

/// The areas that have been used since the start.
#[derive(Debug, Default)]
pub struct Staging {
    areas: Mutex<HashMap<u64, Arc<Area>>>,
    /// Entries that leave an area need the project of their destination.
    projects: Projects,
}

impl Staging {
    /// Begins with the disk's root, whose area is swept.
    pub fn open(jail: &Jail) -> anyhow::Result<Self> {
        let staging = Self::default();
        staging.area(jail, jail.root(), &[]).context("opening the folder for unfinished uploads")?;
        staging.open_mounted(jail);
        Ok(staging)
    }

    /// Opens the areas of earlier runs where an administrator mounted a file system in place of a space, so that
    /// leftovers are found at the start. Deeper ones are found at the first write there.
    fn open_mounted(&self, jail: &Jail) {
        let mut places: Vec<Vec<OsString>> = FOLDERS.iter().map(|name| vec![OsString::from(name)]).collect();
        for parent in [HOME, GROUPS] {
            let names = jail.find(&plain(vec![parent.into()])).map(|found| names_in(&found.handle).unwrap_or_default());
            places.extend(names.unwrap_or_default().into_iter().map(|name| vec![parent.into(), name]));
        }
        for names in places {
            let Ok(found) = jail.find(&plain(names.clone())) else { continue };
            if Meta::at(&found.handle, RESERVED_NAME).is_ok_and(|area| area.is_folder())
                && let Err(error) = self.area(jail, &found.handle, &names)
            {
                tracing::warn!(error = %error, "what an earlier run left on a mounted file system can't be looked at");
            }
        }
    }

    /// The area from which entries can be renamed into this folder, whose true names are given.
    pub fn area(&self, jail: &Jail, folder: impl AsFd, names: &[OsString]) -> DiskResult<Arc<Area>> {
        let mount = Meta::of(&folder)?.mount;
        let mut areas = self.areas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(area) = areas.get(&mount) {
            return Ok(Arc::clone(area));
        }
        let mut home = openat(&folder, ".", FOLDER, Mode::empty())?;
        for keep in 0..names.len() {
            let above = jail.find(&plain(names[..keep].to_vec()))?;
            if above.meta.mount == mount {
                home = above.handle;
                break;
            }
        }
        let area = Arc::new(Area::open(&home)?);
        area.sweep();
        areas.insert(mount, Arc::clone(&area));
        Ok(area)
    }

    /// The projects of spaces.
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// The areas that are open.
    pub(crate) fn areas(&self) -> Vec<Arc<Area>> {
        self.areas.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

fn plain(names: Vec<OsString>) -> Location {
    let access = Access::default();
    Location { space: Space::Top, names, base: 0, links: false, make_base: false, writable: true, access, fixed: true }
}

impl Area {
    fn open(home: &OwnedFd) -> Result<Self, Errno> {
        let own = subfolder(home, RESERVED_NAME)?;
        let folder = |name| subfolder(&own, name);
        Ok(Self {
            uploads: folder("uploads")?,
            removing: folder("removing")?,
            trash: folder("trash")?,
            tus: folder("tus")?,
        })
    }
}

fn subfolder(parent: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    match mkdirat(parent, name, PRIVATE) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(other) => return Err(other),
    }
    openat(parent, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}
