//! One extraction, from the checks to the rename into place.

use std::cell::Cell;
use std::fs::File;

use disk_core::error::DiskResult;
use disk_core::jail::{Location, Meta};
use disk_core::progress::Progress;
use disk_core::staging::Temporary;
use disk_core::transfer::{Destination, Site};
use disk_core::usage::Reservation;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, mkdirat, openat};

use super::budget::Budget;
use super::format::Format;
use super::source::Source;
use super::tree::Tree;
use super::{sevenz, single, tar, zip};

/// An archive and the folder that it is to be unpacked into.
pub(crate) struct Extraction {
    pub(crate) source: Location,
    pub(crate) destination: Destination,
}

impl Extraction {
    /// Refuses predictable failures, without changing anything.
    pub(crate) fn check(&self) -> DiskResult<()> {
        self.open()?;
        self.destination.check(true)
    }

    /// Unpacks and answers the name that the folder has.
    pub(crate) fn run(&self, progress: &Progress) -> DiskResult<String> {
        self.destination.check(true)?;
        let (file, format) = self.open()?;
        let (staged, room) = self.unpack(&file, format, progress)?;
        progress.check()?;
        self.destination.put(&staged, room)
    }

    fn open(&self) -> DiskResult<(File, Format)> {
        let jail = &self.destination.files.jail;
        let file = jail.read_file(&jail.find(&self.source)?)?;
        let format = Format::of(&file)?;
        Ok((file, format))
    }

    fn unpack(&self, file: &File, format: Format, progress: &Progress) -> DiskResult<(Temporary, Reservation)> {
        let Site { area, folder, names, room } = self.destination.site()?;
        let staged = Temporary::name(area);
        mkdirat(&staged.area.uploads, staged.name.as_os_str(), Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(&staged.area.uploads, staged.name.as_os_str(), flags, Mode::empty())?;
        // Marks the folder as in use for another process's sweep.
        let _ = flock(&root, FlockOperation::NonBlockingLockExclusive);
        let size = Meta::of(file)?.size;
        progress.expect(size);
        let access = &self.destination.location.access;
        let mut tree = Tree::new(root, folder, access, names, Budget::new(room, progress, size));
        let counted = Cell::new(0);
        let source = Source::new(file, progress, &counted);
        match format {
            Format::Zip => zip::unpack(source, &counted, &mut tree)?,
            Format::SevenZip => sevenz::unpack(source, &mut tree)?,
            Format::Tar => tar::unpack(&mut std::io::BufReader::new(source), &mut tree)?,
            Format::Compressed(compression) => {
                let name = self.source.name().unwrap_or_default().to_string_lossy();
                single::unpack(source, compression, &name, &mut tree)?;
            }
        }
        Ok((staged, tree.finish()?))
    }
}
