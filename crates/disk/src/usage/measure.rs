//! Adding up what a tree takes.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

use super::Pace;
use crate::jail::{FOLDER, Meta, is_reserved, names_in};

/// Folders in folders that are looked into; each level costs an open file.
pub(crate) const MAX_LEVELS: usize = 400;

/// How much an entry is, with all in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes that it takes on the disk, as quotas count them.
    pub(crate) used: u64,
    /// Bytes that its files hold: a sparse file counts in full, one with several names each time,
    /// and folders hold none.
    pub(crate) length: u64,
}

/// Bytes that this entry takes with all in it, links not followed, other mounts left out. Ends
/// early with what it has when `stop` is set. What vanishes meanwhile is not there.
pub(crate) fn measure(folder: impl AsFd, name: &OsStr, stop: &AtomicBool) -> Result<u64, Errno> {
    Ok(extent(folder, name, stop)?.used)
}

/// The same, and what it holds.
pub(crate) fn extent(folder: impl AsFd, name: &OsStr, stop: &AtomicBool) -> Result<Extent, Errno> {
    extent_at(folder, name, stop, None)
}

/// The same, at a pace.
pub(super) fn extent_at(
    folder: impl AsFd,
    name: &OsStr,
    stop: &AtomicBool,
    pace: Option<&mut Pace>,
) -> Result<Extent, Errno> {
    let meta = Meta::at(&folder, name)?;
    if !meta.is_folder() {
        return Ok(Extent { used: meta.used, length: meta.size });
    }
    let extent = Extent { used: meta.used, length: 0 };
    let mut walk = Walk { seen: HashSet::new(), mount: meta.mount, extent, stop, pace };
    let root = openat(folder, name, FOLDER, Mode::empty())?;
    walk.folder(&root, MAX_LEVELS)?;
    Ok(walk.extent)
}

/// Bytes that these folders of one folder take together: what has a name in several of them counts
/// once. What vanishes meanwhile is not there.
pub(super) fn measure_together(
    folder: impl AsFd,
    names: &[OsString],
    stop: &AtomicBool,
    pace: Option<&mut Pace>,
) -> Result<u64, Errno> {
    let mut walk = Walk { seen: HashSet::new(), mount: 0, extent: Extent { used: 0, length: 0 }, stop, pace };
    for name in names {
        let Ok(meta) = Meta::at(&folder, name.as_os_str()) else { continue };
        walk.extent.used = walk.extent.used.saturating_add(meta.used);
        walk.mount = meta.mount;
        if let Ok(root) = openat(&folder, name.as_os_str(), FOLDER, Mode::empty()) {
            walk.folder(&root, MAX_LEVELS)?;
        }
    }
    Ok(walk.extent.used)
}

struct Walk<'a> {
    /// What has several names and was counted already, by mount and inode.
    seen: HashSet<(u64, u64)>,
    mount: u64,
    extent: Extent,
    stop: &'a AtomicBool,
    pace: Option<&'a mut Pace>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &OwnedFd, levels: usize) -> Result<(), Errno> {
        for name in names_in(folder)? {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if let Some(pace) = &mut self.pace {
                pace.step(self.stop);
            }
            match self.entry(folder, &name, levels) {
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    fn entry(&mut self, folder: &OwnedFd, name: &OsStr, levels: usize) -> Result<(), Errno> {
        if is_reserved(name.as_bytes()) {
            return Ok(());
        }
        let meta = Meta::at(folder, name)?;
        if meta.mount != self.mount {
            return Ok(());
        }
        if !meta.is_folder() {
            self.extent.length = self.extent.length.saturating_add(meta.size);
            if meta.links > 1 && !self.seen.insert((meta.mount, meta.inode)) {
                return Ok(());
            }
        }
        self.extent.used = self.extent.used.saturating_add(meta.used);
        if meta.is_folder() && levels > 0 {
            let below = openat(folder, name, FOLDER, Mode::empty())?;
            self.folder(&below, levels - 1)?;
        }
        Ok(())
    }
}
