//! Opens entries for reading. Pipes, sockets and devices are never opened: a device node that a container created in
//! its home would give away the host's disk.

use std::ffi::OsStr;
use std::fs::File;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::path::DecInt;

use super::{Found, Jail, Kind, Meta};
use crate::error::{DiskError, DiskResult};
use crate::reason::Reason;

impl Jail {
    /// Opens a regular file; a folder or a special file is refused.
    pub fn read_file(&self, found: &Found) -> DiskResult<File> {
        match found.meta.kind {
            Kind::File => {}
            Kind::Folder => return Err(DiskError::bad_request(Reason::IsFolder)),
            Kind::Link | Kind::Special(_) => return Err(DiskError::Forbidden),
        }
        Ok(self.reopen(&found.handle, OFlags::RDONLY)?)
    }

    /// Opens a regular file in an open folder, with its metadata; `None` when it vanished, or when another kind of
    /// entry has the name.
    pub fn open_file_in(&self, folder: impl AsFd, name: &OsStr) -> DiskResult<Option<(File, Meta)>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match openat(folder, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            other => other?,
        };
        let meta = Meta::of(&handle)?;
        if meta.kind != Kind::File {
            return Ok(None);
        }
        Ok(Some((self.reopen(&handle, OFlags::RDONLY)?, meta)))
    }

    /// Opens a handle that the caller found to be a regular file. Through the handle itself, so that it is the very
    /// file that was checked.
    pub fn reopen(&self, handle: &OwnedFd, access: OFlags) -> Result<File, Errno> {
        let flags = access | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        Ok(File::from(openat(&self.handles, DecInt::from_fd(handle), flags, Mode::empty())?))
    }
}

/// Opens a folder for listing.
pub fn read_folder(folder: impl rustix::fd::AsFd) -> DiskResult<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat(folder, ".", flags, Mode::empty())?)
}
