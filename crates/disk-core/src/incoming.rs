//! Incoming content of a file: written to a hidden place first, then renamed to its destination. Until then nothing of
//! it is visible, and if it fails nothing is left.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use bytes::Bytes;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, Timespec, Timestamps, fchmod, fstatvfs, fsync, futimens};

use crate::error::{DiskError, DiskResult};
use crate::files::FileStore;
use crate::jail::{Entry, Jail, Location, Meta, own_like_folder};
use crate::reason::Reason;
use crate::staging::{Temporary, TemporaryFile};
use crate::transfer::{Clash, Origin, place};
use crate::usage::{Allowance, Reservation};

/// What is announced about the content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Announced {
    pub length: Option<u64>,
    pub modified: Option<Timespec>,
}

/// Where an upload goes, and its limits.
#[derive(Clone, Debug)]
pub struct UploadTarget {
    pub location: Location,
    pub allowance: Allowance,
}

/// Takes the bytes of a body. Called on blocking threads, one batch after the other.
pub trait Sink: Send + 'static {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()>;
}

/// A file being received.
pub struct Incoming {
    staged: TemporaryFile,
    room: Reservation,
    /// Offset of the next write.
    at: u64,
}

impl Incoming {
    /// Copies an existing file's content in; later writes append. Returns its size in bytes.
    pub fn begin_with(&mut self, mut content: &File) -> DiskResult<u64> {
        let size = Meta::of(content)?.size;
        self.room.grow_to(size)?;
        // `copy_file_range`: in the kernel, by reflink where supported.
        self.at = io::copy(&mut content, &mut self.staged.file)?;
        Ok(self.at)
    }

    /// Offset of the next write.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Seeks to this offset.
    pub fn go_to(&mut self, at: u64) -> DiskResult<()> {
        self.at = self.staged.file.seek(SeekFrom::Start(at))?;
        Ok(())
    }

    /// All of it has arrived; see [`complete`]. Nothing is left of it when this fails.
    pub fn complete(
        self,
        modified: Option<Timespec>,
        place: impl FnOnce(&Staged<'_>) -> DiskResult<Stored>,
    ) -> DiskResult<Meta> {
        let TemporaryFile { file, place: Temporary { area, name } } = &self.staged;
        complete(&Staged { folder: &area.uploads, name, file }, &mut Some(self.room), modified, place)
    }
}

impl Sink for Incoming {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()> {
        let more: usize = batch.iter().map(Bytes::len).sum();
        let end = self.at.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        self.room.grow_to(end)?;
        for chunk in batch {
            self.staged.file.write_all(chunk)?;
        }
        self.at = end;
        Ok(())
    }
}

/// A whole file on the mount where it belongs, ready to be renamed into place.
pub struct Staged<'a> {
    pub folder: &'a OwnedFd,
    pub name: &'a OsStr,
    pub file: &'a File,
}

/// A file that is in its place.
pub struct Stored {
    pub meta: Meta,
    /// Bytes freed by replacing the former file.
    pub freed: u64,
}

/// Begins to receive.
pub fn open(files: &FileStore, to: &UploadTarget, announced: Announced) -> DiskResult<Incoming> {
    // The folder may have to be made; that happens only when there is something to put into it.
    let (folder, _) = files.jail.nearest(&to.location.parent())?;
    let room = reserve(files, to, &folder.handle, announced.length.unwrap_or(0), 0)?;
    let area = files.staging.area(&files.jail, &folder.handle, &folder.names)?;
    let staged = TemporaryFile::create(area)?;
    own_like_folder(&folder.handle, &staged.file)?;
    Ok(Incoming { staged, room, at: 0 })
}

/// Reserves room for `bytes` on the file system of this folder, whose free bytes include `promised` ones for others.
pub fn reserve(
    files: &FileStore,
    to: &UploadTarget,
    folder: impl AsFd,
    bytes: u64,
    promised: u64,
) -> DiskResult<Reservation> {
    if bytes > free_bytes(folder)?.saturating_sub(promised) {
        return Err(DiskError::InsufficientStorage(Reason::DiskFull));
    }
    files.ledger.reserve(&to.location.space, &to.allowance, bytes)
}

/// Free space of the file system.
pub fn free_bytes(folder: impl AsFd) -> DiskResult<u64> {
    Ok(fstatvfs(folder).map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))?)
}

/// The end of every upload: sets the time, makes the content durable, gives it its place with `place`, and settles the
/// room that was reserved for it. When this fails, the room stays reserved. Returns the file's metadata. Blocks.
pub fn complete(
    staged: &Staged<'_>,
    room: &mut Option<Reservation>,
    modified: Option<Timespec>,
    place: impl FnOnce(&Staged<'_>) -> DiskResult<Stored>,
) -> DiskResult<Meta> {
    if let Some(modified) = modified {
        futimens(staged.file, &Timestamps { last_access: modified, last_modification: modified })?;
    }
    fsync(staged.file)?;
    let stored = place(staged)?;
    if let Some(room) = room.take() {
        room.settle(stored.meta.used, stored.freed);
    }
    Ok(stored.meta)
}

/// The entry that a file is put to. `makes_folders`: the folders above it are made where they are missing.
pub fn entry(jail: &Jail, location: &Location, makes_folders: bool) -> DiskResult<Entry> {
    match jail.target(location) {
        Ok((entry, _)) => Ok(entry),
        Err(DiskError::NotFound) if makes_folders => {
            jail.make_folders(&location.parent())?;
            Ok(jail.target(location)?.0)
        }
        Err(error) => Err(error),
    }
}

/// Puts a complete file into its place. `check` sees the present entry. Between the check and the rename nothing else is
/// put there, except by programs beside the disk; the present entry may be taken away.
pub fn put(
    files: &FileStore,
    staged: &Staged<'_>,
    entry: &Entry,
    clash: Clash,
    check: impl FnOnce(Option<&Meta>) -> DiskResult<()>,
) -> DiskResult<Stored> {
    let folder = Meta::of(&entry.folder)?;
    let _alone = files.names.hold(folder.inode, &entry.name);
    let there = entry.meta()?;
    check(there.as_ref())?;
    let replaced = there.filter(|_| clash == Clash::Replace);
    if let Some(there) = &replaced {
        // Stays executable. Others get no access, whatever the mode was.
        fchmod(staged.file, Mode::from_raw_mode(there.mode & 0o770 | 0o600))?;
        files.followers.replacing(&entry.names(), there, &Meta::of(staged.file)?);
    }
    let origin = Origin::staged(files.staging.projects());
    let placed = place(origin, staged.folder, staged.name, entry, clash)?;
    let meta = Meta::of(staged.file)?;
    if let Some(was) = replaced {
        files.followers.replaced(&entry.names(), &was, &meta);
    }
    Ok(Stored { meta, freed: placed.freed })
}
