//! Opening what was found, for reading. Pipes, sockets and devices are never opened: a device
//! node that a container made in its home would give away the host's disk.

use std::fs::File;

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use super::{Found, Jail, Kind};
use crate::error::{DiskError, DiskResult};

impl Jail {
    /// Opens a regular file; a folder or a special file is refused.
    pub(crate) fn read_file(&self, found: &Found) -> DiskResult<File> {
        match found.meta.kind {
            Kind::File => {}
            Kind::Folder => return Err(DiskError::bad_request("is a folder")),
            Kind::Link | Kind::Special(_) => return Err(DiskError::Forbidden),
        }
        Ok(self.reopen(&found.handle, OFlags::RDONLY)?)
    }

    /// Opens what a handle is on, which the caller found to be a regular file. Through the handle
    /// itself, so that it is the very file that was looked at.
    pub(crate) fn reopen(&self, handle: &OwnedFd, access: OFlags) -> Result<File, Errno> {
        let number = handle.as_raw_fd().to_string();
        let flags = access | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        Ok(File::from(openat(&self.handles, number.as_str(), flags, Mode::empty())?))
    }
}

/// Opens a folder for listing.
pub(crate) fn read_folder(folder: impl rustix::fd::AsFd) -> DiskResult<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat(folder, ".", flags, Mode::empty())?)
}
