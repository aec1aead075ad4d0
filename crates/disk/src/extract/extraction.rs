//! One unpacking, from the checks to the rename into place.

use std::ffi::OsString;
use std::fs::File;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, mkdirat, openat};

use super::budget::Budget;
use super::format::Format;
use super::source::Source;
use super::tree::Tree;
use super::{sevenz, single, tar, zip};
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::jail::{Entry, Location, Meta};
use crate::permissions::require;
use crate::staging::Temporary;
use crate::tasks::Progress;
use crate::transfer::{Clash, place};
use crate::usage::{Reservation, measure};

/// An archive and the folder that it is to be unpacked into.
pub(crate) struct Extraction {
    pub(crate) host: Host,
    pub(crate) source: Location,
    pub(crate) target: Location,
    pub(crate) clash: Clash,
    /// Without this right nothing that is there is replaced.
    pub(crate) may_modify: bool,
    /// The target space's; 0 = none.
    pub(crate) quota: u64,
}

impl Extraction {
    /// Refuses what can be known to fail, without changing anything.
    pub(crate) fn check(&self) -> DiskResult<()> {
        self.open()?;
        if self.target.fixed {
            return Err(DiskError::Forbidden);
        }
        let there = match self.host.jail.entry(&self.target) {
            Ok(entry) => entry.meta()?,
            Err(DiskError::NotFound) => None,
            Err(error) => return Err(error),
        };
        match (there, self.clash) {
            (Some(_), Clash::Refuse) => Err(DiskError::conflict("exists")),
            (Some(there), Clash::Replace) if !there.is_folder() => Err(DiskError::conflict("a file is there")),
            (Some(_), Clash::Replace) => require(self.may_modify),
            _ => Ok(()),
        }
    }

    /// Unpacks and answers the name that the folder has.
    pub(crate) fn run(&self, progress: &Progress) -> DiskResult<String> {
        self.check()?;
        let (file, format) = self.open()?;
        let (staged, room) = self.unpack(&file, format, progress)?;
        progress.check()?;
        let (folder, folder_names) = self.host.jail.make_folders(&self.target.parent())?;
        let name = self.target.name().ok_or(DiskError::Forbidden)?.to_owned();
        let to = Entry { folder, folder_names, name };
        let size = measure(&staged.area.uploads, &staged.name, self.host.ledger.stop_flag())?;
        let _alone = self.host.locks.hold(Meta::of(&to.folder)?.inode, &to.name);
        let clash = match self.clash {
            // Something may have got the name since.
            Clash::Replace if !self.may_modify => Clash::Refuse,
            clash => clash,
        };
        let placed = place(&staged.area.uploads, &staged.name, &to, clash)?;
        room.settle(size, placed.freed);
        if placed.merged {
            self.host.ledger.forget(&self.target.space);
        }
        Ok(placed.name.to_string_lossy().into_owned())
    }

    fn open(&self) -> DiskResult<(File, Format)> {
        let found = self.host.jail.find(&self.source)?;
        let file = self.host.jail.read_file(&found)?;
        let format = Format::of(&file)?;
        Ok((file, format))
    }

    fn unpack(&self, file: &File, format: Format, progress: &Progress) -> DiskResult<(Temporary, Reservation)> {
        let (nearest, keep) = self.host.jail.nearest(&self.target.parent())?;
        let area = self.host.staging.area(&self.host.jail, &nearest.handle, &nearest.names)?;
        let staged = Temporary::name(area);
        mkdirat(&staged.area.uploads, staged.name.as_os_str(), Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(&staged.area.uploads, staged.name.as_os_str(), flags, Mode::empty())?;
        // Tells another process's sweep that it is in use.
        let _ = flock(&root, FlockOperation::NonBlockingLockExclusive);
        let size = Meta::of(file)?.size;
        progress.expect(size);
        let room = self.host.ledger.reserve(&self.target.space, self.quota, 0)?;
        let budget = Budget::new(room, progress, size);
        let mut names = nearest.names;
        names.extend_from_slice(&self.target.names[keep..]);
        let mut tree = Tree::new(root, &nearest.handle, &self.target.access, names, budget)?;
        let source = Source { file, progress };
        match format {
            Format::Zip => zip::unpack(source, &mut tree)?,
            Format::SevenZip => sevenz::unpack(source, &mut tree)?,
            Format::Tar => tar::unpack(&mut std::io::BufReader::new(source), &mut tree)?,
            Format::Compressed(compression) => {
                single::unpack(source, compression, &self.archive_name(), &mut tree)?;
            }
        }
        Ok((staged, tree.finish()?))
    }

    fn archive_name(&self) -> String {
        self.source.name().map(OsString::from).unwrap_or_default().to_string_lossy().into_owned()
    }
}
