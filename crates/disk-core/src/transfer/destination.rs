//! The destination of generated entries: an extracted folder, a packed archive.

use std::ffi::OsString;
use std::sync::Arc;

use rustix::fd::OwnedFd;

use super::names::choose_free;
use super::{Clash, Origin, place};
use crate::error::{DiskError, DiskResult};
use crate::files::FileStore;
use crate::jail::{Entry, Location, Meta};
use crate::reason::Reason;
use crate::staging::{Area, Temporary};
use crate::usage::{Allowance, Reservation, measure};

/// A place, and what may be done when its name is taken.
pub struct Destination {
    pub files: Arc<FileStore>,
    pub location: Location,
    pub clash: Clash,
    /// Without this right nothing that is there is replaced.
    pub may_modify: bool,
    pub allowance: Allowance,
}

/// The context for generating an entry for a destination.
pub struct Site {
    /// From which it can be renamed into place.
    pub area: Arc<Area>,
    /// The nearest existing folder, whose owner gets the new entries.
    pub folder: OwnedFd,
    /// The true names that it will have.
    pub names: Vec<OsString>,
    /// Nothing is set aside yet.
    pub room: Reservation,
}

impl Destination {
    /// Refuses predictable failures, without changing anything.
    pub fn check(&self, folder: bool) -> DiskResult<()> {
        if self.location.fixed {
            return Err(DiskError::Forbidden);
        }
        self.files.jail.landing(&self.location)?;
        let there = match self.files.jail.entry(&self.location) {
            Ok(entry) => entry.meta()?,
            Err(DiskError::NotFound) => None,
            Err(error) => return Err(error),
        };
        match (there, self.clash) {
            (Some(_), Clash::Refuse) => Err(DiskError::conflict(Reason::Exists)),
            (Some(there), Clash::Replace) => match (there.is_folder(), folder) {
                (true, false) => Err(DiskError::conflict(Reason::FolderThere)),
                (false, true) => Err(DiskError::conflict(Reason::FileThere)),
                _ if !self.may_modify => Err(DiskError::Forbidden),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Where the entry is made. Its room is within the quotas, and grows with it.
    pub fn site(&self) -> DiskResult<Site> {
        let (nearest, _) = self.files.jail.nearest(&self.location.parent())?;
        let area = self.files.staging.area(&self.files.jail, &nearest.handle, &nearest.names)?;
        let names = self.files.jail.landing(&self.location)?;
        let room = self.files.ledger.reserve(&self.location.space, &self.allowance, 0)?;
        Ok(Site { area, folder: nearest.handle, names, room })
    }

    /// Puts the staged entry into place and returns the name that it has there.
    pub fn put(&self, staged: &Temporary, room: Reservation) -> DiskResult<String> {
        let (folder, folder_names) = self.files.jail.make_folders(&self.location.parent())?;
        let name = self.location.name().ok_or(DiskError::Forbidden)?.to_owned();
        let mut to = Entry { folder, folder_names, name };
        let size = measure(&staged.area.uploads, &staged.name, self.files.ledger.stop_flag())?;
        if self.clash == Clash::FreeName && !self.location.access.is_open() {
            choose_free(&mut to, Meta::at(&staged.area.uploads, staged.name.as_os_str())?.is_folder())?;
        }
        self.location.access.check(&to.names())?;
        let _alone = self.files.names.hold(Meta::of(&to.folder)?.inode, &to.name);
        let clash = match self.clash {
            // Something may have got the name since.
            Clash::Replace if !self.may_modify => Clash::Refuse,
            clash => clash,
        };
        let origin = Origin::staged(self.files.staging.projects());
        let placed = place(origin, &staged.area.uploads, &staged.name, &to, clash)?;
        room.settle(size, placed.freed);
        if placed.merged {
            self.files.ledger.forget(&self.location.space);
        }
        Ok(placed.name.to_string_lossy().into_owned())
    }
}
