//! Project quotas, where the file system supports them (XFS and ext4 with `prjquota`) and the lab enables them:
//! everything that counts to one quota is one project of the file system, which the kernel limits for all writers,
//! including instances.
//!
//! The portal assigns the projects and has the machine helper set the limits. The disk tags existing entries
//! ([`keep`]); new ones inherit their folder's project. A folder that passes its project on accepts no rename from
//! another project (`EXDEV`), so entries from elsewhere (uploads, the trash, another space) are tagged when they are
//! put into place ([`Projects::tag`]), and entries that leave for a space without a project leave their own first. Tags
//! are set by the machine's `xfs_io`, which supports both file systems, through handles, so that no name can be
//! exchanged for a link.

mod keep;
mod limit;
mod store;
mod tag;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use db_kit::{Db, DbResult};
use rustix::fd::AsFd;

use crate::error::DiskResult;
use crate::space::Space;

pub use keep::keep;
pub use limit::used;

/// A space's project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Project {
    number: u32,
    /// All that was there before has its number.
    tagged: bool,
}

/// The projects of spaces. Without any, nothing here costs anything.
#[derive(Debug, Default)]
pub struct Projects(RwLock<HashMap<Space, Project>>);

impl Projects {
    /// Loads the state from the last run.
    pub async fn load(&self, db: &Db) -> DbResult<()> {
        let rows = store::all(db).await?;
        self.change().extend(rows);
        Ok(())
    }

    fn known(&self) -> RwLockReadGuard<'_, HashMap<Space, Project>> {
        // A single value: a poisoned lock leaves nothing half done.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, HashMap<Space, Project>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The project of the entry with these true names.
    pub fn at(&self, names: &[OsString]) -> Option<u32> {
        let known = self.known();
        if known.is_empty() {
            return None;
        }
        known.get(&Space::rooted_at(names.get(..2)?)?).map(|project| project.number)
    }

    /// The project of a space.
    pub fn of(&self, space: &Space) -> Option<u32> {
        self.known().get(space).map(|project| project.number)
    }

    /// Assigns an entry and its content to this project, or to none.
    pub fn tag(&self, folder: impl AsFd, name: &OsStr, project: Option<u32>) -> DiskResult<()> {
        tag::tag(folder, name, project, &mut |_| true).map(drop)
    }
}
