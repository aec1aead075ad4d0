//! Permanent deletion of entries that were renamed away before.
//!
//! A folder inside a folder is first renamed up into the area itself, so the depth of a tree costs neither stack nor
//! open files, and a deletion that a crash interrupted is found and finished by the sweep at the next start.

use std::ffi::{OsStr, OsString};

use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, chmodat, openat, unlinkat};
use rustix::io::Errno;

use super::{Area, TemporaryFile};
use crate::jail::{FOLDER, Meta, names_in, rename_new};

impl Area {
    /// Removes an entry from its folder, so that it is gone at once, and deletes it. Returns the freed bytes.
    pub fn remove(&self, folder: impl AsFd, name: &OsStr) -> Result<u64, Errno> {
        Ok(self.purge(self.take_out(folder, name)?))
    }

    /// Removes an entry from its folder, so that it is gone at once. Returns the name under which it waits in
    /// `removing` to be deleted.
    pub(crate) fn take_out(&self, folder: impl AsFd, name: &OsStr) -> Result<OsString, Errno> {
        let gone = new_name();
        take(folder, name, &self.removing, &gone)?;
        Ok(gone)
    }

    /// Deletes the entry in `removing` with this name. A failure is logged and leaves it there, invisible.
    pub fn purge(&self, name: OsString) -> u64 {
        let mut freed = 0;
        let mut waiting = vec![name];
        while let Some(name) = waiting.pop() {
            match self.purge_one(&name, &mut waiting) {
                Ok(bytes) => freed += bytes,
                Err(Errno::NOENT) => {}
                Err(error) => tracing::error!(error = %error, "a deleted entry could not be removed for good"),
            }
        }
        freed
    }

    fn purge_one(&self, name: &OsStr, waiting: &mut Vec<OsString>) -> Result<u64, Errno> {
        let meta = Meta::at(&self.removing, name)?;
        let own = if meta.is_folder() || meta.links <= 1 { meta.used } else { 0 };
        if !meta.is_folder() {
            unlinkat(&self.removing, name, AtFlags::empty())?;
            return Ok(own);
        }
        let folder = self.open_to_purge(name)?;
        let mut freed = own;
        for child in names_in(&folder)? {
            let meta = Meta::at(&folder, child.as_os_str())?;
            if meta.is_folder() {
                // Another mount's content is not ours to delete: EXDEV or EBUSY ends it here.
                waiting.push(self.take_out(&folder, &child)?);
            } else {
                unlinkat(&folder, child.as_os_str(), AtFlags::empty())?;
                freed += if meta.links <= 1 { meta.used } else { 0 };
            }
        }
        unlinkat(&self.removing, name, AtFlags::REMOVEDIR)?;
        Ok(freed)
    }

    fn open_to_purge(&self, name: &OsStr) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(&self.removing, name, flags, Mode::empty()) {
            Err(Errno::ACCESS) => {
                unlock(&self.removing, name)?;
                openat(&self.removing, name, flags, Mode::empty())
            }
            other => other,
        }
    }

    /// Removes leftovers of an earlier run.
    pub(super) fn sweep(&self) {
        for name in names_in(&self.uploads).unwrap_or_default() {
            if TemporaryFile::is_abandoned(self, &name) {
                let _ = self.remove(&self.uploads, &name);
            }
        }
        for name in names_in(&self.removing).unwrap_or_default() {
            self.purge(name);
        }
    }
}

/// Renames, also a folder that its owner may not write to.
pub(crate) fn take(folder: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<(), Errno> {
    match rename_new(&folder, name, &to, new_name) {
        Err(Errno::ACCESS) => {
            unlock(&folder, name)?;
            rename_new(folder, name, to, new_name)
        }
        other => other,
    }
}

/// Gives the owner all permissions on a folder, which a disk that is not root needs. Through the handle's path in
/// `/proc`, because changing the mode by name would follow a link.
fn unlock(folder: impl AsFd, name: &OsStr) -> Result<(), Errno> {
    let handle = openat(folder, name, FOLDER, Mode::empty())?;
    chmodat(CWD, format!("/proc/self/fd/{}", handle.as_raw_fd()), Mode::RWXU, AtFlags::empty())
}

fn new_name() -> OsString {
    uuid::Uuid::new_v4().simple().to_string().into()
}
