//! Entries without a place yet, which are removed if they never get one.

use std::ffi::OsString;
use std::fs::File;
use std::sync::Arc;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, openat, unlinkat};
use rustix::io::Errno;

use super::Area;
use crate::error::DiskResult;
use crate::jail::FILE_MODE;

/// A name in an area's `uploads`. The entry with this name is removed on drop.
#[derive(Debug)]
pub struct Temporary {
    pub area: Arc<Area>,
    pub name: OsString,
}

impl Temporary {
    /// A name that nothing has.
    pub fn name(area: Arc<Area>) -> Self {
        Self { area, name: uuid::Uuid::new_v4().simple().to_string().into() }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Already gone after it was put in place. If it cannot be removed, the sweep at the next start does it.
        if unlinkat(&self.area.uploads, self.name.as_os_str(), AtFlags::empty()) == Err(Errno::ISDIR) {
            let _ = self.area.remove(&self.area.uploads, &self.name);
        }
    }
}

/// A file without a place. The lock on it marks it as in use for another process's sweep.
#[derive(Debug)]
pub struct TemporaryFile {
    pub file: File,
    pub place: Temporary,
}

impl TemporaryFile {
    /// An empty file.
    pub fn create(area: Arc<Area>) -> DiskResult<Self> {
        let place = Temporary::name(area);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&place.area.uploads, place.name.as_os_str(), flags, FILE_MODE)?;
        // The lock is optional; a file system without locks still stores files.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        Ok(Self { file: file.into(), place })
    }

    /// Whether the entry of this name is a leftover that no process uses.
    pub(super) fn is_abandoned(area: &Area, name: &std::ffi::OsStr) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&area.uploads, name, flags, Mode::empty()) {
            Ok(file) => flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok(),
            Err(_) => true,
        }
    }
}
