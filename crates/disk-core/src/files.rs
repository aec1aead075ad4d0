//! The files of one disk, with all that a change to them needs: where entries lie, where they are staged, what they take,
//! where deleted ones go. What a change means for share links and the like is up to the [`Followers`].

use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::sync::Arc;

use db_kit::Db;
use kernel::{Actor, Clock};
use rustix::fd::OwnedFd;

use crate::error::{DiskError, DiskResult};
use crate::homes::Homes;
use crate::jail::{Entry, Jail, Location, Meta, sync_folder};
use crate::locks::NameLocks;
use crate::space::Space;
use crate::staging::Staging;
use crate::trash::{Deletion, Trash};
use crate::usage::{Ledger, extent};

/// Follows entries that are bound to more than their name, such as shared ones. Everything here blocks, and is called on
/// blocking threads of the runtime. A failure is logged there: the change itself is more important.
pub trait Followers: Debug + Send + Sync {
    /// The entry with these true names was removed or renamed, with all that is in it.
    fn ended(&self, names: &[OsString]);

    /// Another file is about to replace the one with these true names, whose lock is held.
    fn replacing(&self, names: &[OsString], was: &Meta, coming: &Meta);

    /// Another file replaced the one with these true names, whose lock is still held.
    fn replaced(&self, names: &[OsString], was: &Meta, now: &Meta);
}

/// The file machinery of one disk.
#[derive(Debug)]
pub struct FileStore {
    pub jail: Arc<Jail>,
    pub staging: Arc<Staging>,
    pub trash: Arc<Trash>,
    pub ledger: Arc<Ledger>,
    pub homes: Homes,
    pub names: NameLocks,
    pub followers: Arc<dyn Followers>,
}

impl FileStore {
    /// Opens the staging areas and the trash of this disk, and removes what interrupted changes left behind. `beside_database`:
    /// the database's files lie on the root's file system, so that uploads leave it some room.
    ///
    /// # Errors
    /// When the disk can't be read or written, or the database does not answer.
    pub async fn open(
        jail: Jail,
        db: &Db,
        clock: Arc<dyn Clock>,
        beside_database: bool,
        followers: Arc<dyn Followers>,
    ) -> anyhow::Result<Self> {
        let jail = Arc::new(jail);
        let staging = Arc::new(Staging::open(&jail)?);
        staging.projects().load(db).await?;
        let homes = Homes::open(&jail)?;
        let trash = Trash::open(db.clone(), Arc::clone(&jail), Arc::clone(&staging), Arc::clone(&clock)).await?;
        let trash = Arc::new(trash);
        let ledger = Arc::new(Ledger::new(Arc::clone(&jail), clock, Arc::clone(&trash), beside_database));
        Ok(Self { jail, staging, trash, ledger, homes, names: NameLocks::default(), followers })
    }

    /// Removes the entry from its folder, at which moment it is deleted: into the trash when the actor is known, otherwise
    /// permanently. All deletions go through here.
    ///
    /// # Errors
    /// 404 when it is not there, 403 when a rule denies a part of it, 423 when a file system is mounted in it, 503 when
    /// the disk stops.
    pub fn remove(&self, location: &Location, by: Option<&Actor>) -> DiskResult<()> {
        let entry = self.jail.entry(location)?;
        entry.meta()?.ok_or(DiskError::NotFound)?;
        self.jail.check_tree(&location.access, &entry, None)?;
        if self.jail.holds_mounts(&entry)? {
            return Err(DiskError::Busy);
        }
        self.take_away(&entry, (&entry.folder, &entry.name), location, by)
    }

    /// Removes a replaced entry from its new location.
    pub(crate) fn take_away(
        &self,
        entry: &Entry,
        (folder, name): (&OwnedFd, &OsStr),
        location: &Location,
        by: Option<&Actor>,
    ) -> DiskResult<()> {
        let freed = match by {
            Some(by) => {
                let extent = extent(folder, name, self.ledger.stop_flag())?;
                // The record must not have a part of the size for all of it.
                self.ledger.check_running()?;
                let home_owner = match &location.space {
                    Space::Home(name) => self.homes.owner_of(name)?,
                    _ => None,
                };
                self.trash.put(entry, (folder, name), &Deletion { by, location, home_owner, extent })?;
                extent.used
            }
            None => {
                let area = self.staging.area(&self.jail, &entry.folder, &entry.folder_names)?;
                let freed = area.remove(folder, name)?;
                sync_folder(folder)?;
                freed
            }
        };
        self.followers.ended(&entry.names());
        self.ledger.add(&location.space, 0, freed);
        if let Some(space) = Space::rooted_at(&location.names) {
            self.ledger.forget(&space);
        }
        Ok(())
    }
}
