//! Names in folders: looking at them, making, moving and removing them, each relative to a
//! handle on the folder.

use std::ffi::{OsStr, OsString};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs as sys;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::{Found, Jail, Kind, Location, Meta};
use crate::error::{DiskError, DiskResult};
use crate::reason::Reason;

/// Folders are for their owner and group; others cannot read them, whatever the umask.
pub const FOLDER_MODE: Mode = Mode::from_raw_mode(0o750);
/// Files, in the same way.
pub const FILE_MODE: Mode = Mode::from_raw_mode(0o640);

/// A name in a folder, whether or not an entry has it.
#[derive(Debug)]
pub struct Entry {
    pub folder: OwnedFd,
    /// The folder's true names from the disk's root down.
    pub folder_names: Vec<OsString>,
    pub name: OsString,
}

impl Entry {
    /// The entry that has this name now, links not followed.
    pub fn meta(&self) -> Result<Option<Meta>, Errno> {
        match Meta::at(&self.folder, self.name.as_os_str()) {
            Ok(meta) => Ok(Some(meta)),
            Err(Errno::NOENT) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Its true names from the disk's root down.
    pub fn names(&self) -> Vec<OsString> {
        let mut names = self.folder_names.clone();
        names.push(self.name.clone());
        names
    }
}

impl Jail {
    /// The name itself: a link at the end is not followed, links before it are. The folder must
    /// exist.
    pub fn entry(&self, at: &Location) -> DiskResult<Entry> {
        // The name of a root or space lies above what the person may change.
        let name = at.name().filter(|_| !at.fixed).ok_or(DiskError::Forbidden)?.to_owned();
        let folder = self.find_any(&at.parent())?;
        if !folder.meta.is_folder() {
            return Err(DiskError::NotFound);
        }
        let entry = Entry { folder: folder.handle, folder_names: folder.names, name };
        at.access.check(&entry.names())?;
        Ok(entry)
    }

    /// Where a file's content would be written: a link at the end leads to its target, which
    /// must be there and in the same space.
    pub fn target(&self, at: &Location) -> DiskResult<(Entry, Option<Meta>)> {
        let entry = self.entry(at)?;
        match entry.meta()? {
            Some(meta) if meta.kind == Kind::Link => {}
            meta => return Ok((entry, meta)),
        }
        let found = self.find(at).map_err(|error| match error {
            // Writing through it would create a file in a place that was not named.
            DiskError::NotFound => DiskError::Forbidden,
            other => other,
        })?;
        if found.names.len() <= at.base {
            // A link to the space's own root, whose entry would be in a folder outside of the space.
            return Err(DiskError::conflict(Reason::FolderThere));
        }
        let real = Location { names: found.names, links: false, ..at.clone() };
        let entry = self.entry(&real)?;
        let meta = entry.meta()?;
        Ok((entry, meta))
    }

    /// The deepest folder on the way to this place that exists, and how many of the names it has.
    pub fn nearest(&self, at: &Location) -> DiskResult<(Found, usize)> {
        let mut keep = at.names.len();
        let found = loop {
            match self.find_any(&at.ancestor(keep)) {
                Ok(found) => break found,
                Err(DiskError::NotFound) if keep > at.base => keep -= 1,
                Err(error) => return Err(error),
            }
        };
        if found.meta.is_folder() { Ok((found, keep)) } else { Err(DiskError::conflict(Reason::FileThere)) }
    }

    /// The folder at this place, made with its parents where it is missing.
    pub fn make_folders(&self, at: &Location) -> DiskResult<(OwnedFd, Vec<OsString>)> {
        let (found, keep) = self.nearest(at)?;
        let (mut folder, mut names) = (found.handle, found.names);
        let made = names.len();
        names.extend_from_slice(&at.names[keep..]);
        at.access.check_from(&names, made + 1)?;
        for name in &names[made..] {
            folder = make_folder(&folder, name)?;
        }
        Ok((folder, names))
    }

    /// The space's own folder, made at the first visit.
    pub(super) fn make_base(&self, at: &Location) -> Result<(), Errno> {
        let mut folder = sys::openat(&self.root, ".", super::FOLDER, Mode::empty())?;
        for name in &at.names[..at.base] {
            folder = make_folder(&folder, name).map_err(|_| Errno::NOTDIR)?;
        }
        Ok(())
    }
}

/// Creates one folder unless it exists, and opens it; never through a link.
pub fn make_folder(parent: &OwnedFd, name: &OsStr) -> DiskResult<OwnedFd> {
    match sys::mkdirat(parent, name, FOLDER_MODE) {
        Ok(()) => {
            sync_folder(parent)?;
            let made = open_folder(parent, name)?;
            own_like_folder(parent, &made)?;
            Ok(made)
        }
        Err(Errno::EXIST) => open_folder(parent, name),
        Err(other) => Err(other.into()),
    }
}

fn open_folder(parent: &OwnedFd, name: &OsStr) -> DiskResult<OwnedFd> {
    sys::openat(parent, name, super::FOLDER, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => DiskError::conflict(Reason::FileThere),
        other => other.into(),
    })
}

/// Gives a new entry to the folder's owner, if the process has the right to: entries in a container user's folder must
/// be that user's to read and change.
pub fn own_like_folder(folder: impl AsFd, made: impl AsFd) -> Result<(), Errno> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let wanted = Meta::of(folder)?;
    let is = Meta::of(&made)?;
    if (wanted.owner, wanted.group) == (is.owner, is.group) {
        return Ok(());
    }
    let owner = (rustix::fs::Uid::from_raw(wanted.owner), rustix::fs::Gid::from_raw(wanted.group));
    match sys::chownat(&made, "", Some(owner.0), Some(owner.1), AtFlags::EMPTY_PATH) {
        // File systems without owners, and network shares with root squash.
        Err(Errno::PERM | Errno::INVAL | Errno::NOTSUP) => Ok(()),
        other => other,
    }
}

/// Makes a name durable: without this a crash may forget it although the file is safe.
pub fn sync_folder(folder: impl AsFd) -> Result<(), Errno> {
    let open = sys::openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    match sys::fsync(&open) {
        // Some network file systems sync no folders.
        Err(Errno::INVAL) => Ok(()),
        other => other,
    }
}

/// Exchanges two names in one step.
pub(crate) fn exchange(from: impl AsFd, name: &OsStr, to: impl AsFd, other: &OsStr) -> Result<(), Errno> {
    match sys::renameat_with(&from, name, &to, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS) => {}
        other => return other,
    }
    // A file system without the flag: three steps, by a name that nothing has.
    let spare = OsString::from(uuid::Uuid::new_v4().simple().to_string());
    rename_new(&to, other, &from, &spare)?;
    if let Err(error) = rename_new(&from, name, &to, other) {
        rename_new(&from, &spare, &to, other)?;
        return Err(error);
    }
    rename_new(&from, &spare, &from, name)
}

/// Renames, and fails with `EEXIST` where something has the new name.
pub(crate) fn rename_new(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<(), Errno> {
    match sys::renameat_with(&from, name, &to, new_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {}
        other => return other,
    }
    // A file system without the flag. A second link is as atomic; folders cannot have one, but a rename replaces at
    // most an empty folder.
    if Meta::at(&from, name)?.is_folder() {
        if Meta::at(&to, new_name).is_ok() {
            return Err(Errno::EXIST);
        }
        return sys::renameat(from, name, to, new_name);
    }
    sys::linkat(&from, name, to, new_name, AtFlags::empty())?;
    sys::unlinkat(from, name, AtFlags::empty())
}
