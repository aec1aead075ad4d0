//! Sums up the size of a tree.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::vec::IntoIter;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

use super::Pace;
use crate::jail::{FOLDER, Meta, is_reserved, names_in};

/// Number of nested folders that are kept open; those above are reopened on the way back, so that depth hides nothing.
const KEPT_OPEN: usize = 128;
/// Each level takes memory. No program can address this depth by a path.
const MAX_LEVELS: usize = 100_000;

/// How much an entry is, with all in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Allocated bytes on the disk, as quotas count them.
    pub used: u64,
    /// Length of its files: a sparse file counts in full, one with several names each time, and folders have none.
    pub length: u64,
}

/// Allocated bytes of this entry with its content, links not followed, other mounts left out. Ends early with a partial
/// result when `stop` is set. Entries that vanish meanwhile do not count.
pub fn measure(folder: impl AsFd, name: &OsStr, stop: &AtomicBool) -> Result<u64, Errno> {
    Ok(extent(folder, name, stop)?.used)
}

/// The same, with the length.
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
    walk.tree(root, &meta)?;
    Ok(walk.extent)
}

/// Allocated bytes of these subfolders together: a file with names in several of them counts once. Entries that vanish
/// meanwhile do not count.
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
            walk.tree(root, &meta)?;
        }
    }
    Ok(walk.extent.used)
}

struct Walk<'a> {
    /// Files with several names that were already counted, by mount and inode.
    seen: HashSet<(u64, u64)>,
    mount: u64,
    extent: Extent,
    stop: &'a AtomicBool,
    pace: Option<&'a mut Pace>,
}

/// A folder that is being read.
struct Folder {
    handle: OwnedFd,
    /// Mount and inode.
    id: (u64, u64),
    names: IntoIter<OsString>,
}

/// A folder to be continued later.
struct Above {
    /// `None` if it was closed meanwhile.
    handle: Option<OwnedFd>,
    id: (u64, u64),
    names: IntoIter<OsString>,
}

impl Folder {
    fn new(handle: OwnedFd, meta: &Meta) -> Result<Self, Errno> {
        let names = names_in(&handle)?.into_iter();
        Ok(Self { handle, id: (meta.mount, meta.inode), names })
    }

    /// Returns to the parent folder.
    fn leave(self, above: Above) -> Result<Self, Errno> {
        let Above { handle, id, names } = above;
        let handle = match handle {
            Some(handle) => handle,
            None => parent_of(&self.handle, id)?,
        };
        Ok(Self { handle, id, names })
    }
}

/// Opens the parent, which must have this mount and inode. Fails with `AGAIN` if it was moved or removed meanwhile: the
/// rest of the tree cannot be found, and a count without it would be too low.
fn parent_of(folder: &OwnedFd, id: (u64, u64)) -> Result<OwnedFd, Errno> {
    let is_it = |parent: &OwnedFd| Meta::of(parent).is_ok_and(|meta| (meta.mount, meta.inode) == id);
    openat(folder, "..", FOLDER, Mode::empty()).ok().filter(is_it).ok_or(Errno::AGAIN)
}

impl Walk<'_> {
    fn tree(&mut self, root: OwnedFd, meta: &Meta) -> Result<(), Errno> {
        let mut folder = Folder::new(root, meta)?;
        let mut above: Vec<Above> = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let Some(name) = folder.names.next() else {
                let Some(next) = above.pop() else { return Ok(()) };
                folder = folder.leave(next)?;
                continue;
            };
            if let Some(pace) = &mut self.pace {
                pace.step(self.stop);
            }
            let below = match self.entry(&folder.handle, &name, above.len() < MAX_LEVELS) {
                Ok(Some(below)) => below,
                Ok(None) | Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => continue,
                Err(other) => return Err(other),
            };
            let Folder { handle, id, names } = std::mem::replace(&mut folder, below);
            above.push(Above { handle: Some(handle), id, names });
            if let Some(far) = above.len().checked_sub(KEPT_OPEN + 1) {
                above[far].handle = None;
            }
        }
        Ok(())
    }

    /// Counts an entry. Returns it if it is a folder to be read.
    fn entry(&mut self, folder: &OwnedFd, name: &OsStr, descends: bool) -> Result<Option<Folder>, Errno> {
        if is_reserved(name.as_bytes()) {
            return Ok(None);
        }
        let meta = Meta::at(folder, name)?;
        if meta.mount != self.mount {
            return Ok(None);
        }
        if !meta.is_folder() {
            self.extent.length = self.extent.length.saturating_add(meta.size);
            if meta.links > 1 && !self.seen.insert((meta.mount, meta.inode)) {
                return Ok(None);
            }
        }
        self.extent.used = self.extent.used.saturating_add(meta.used);
        if !meta.is_folder() || !descends {
            return Ok(None);
        }
        let below = openat(folder, name, FOLDER, Mode::empty())?;
        Folder::new(below, &meta).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use super::*;

    fn opened(path: &Path) -> (OwnedFd, (u64, u64)) {
        let handle = OwnedFd::from(File::open(path).unwrap());
        let meta = Meta::of(&handle).unwrap();
        (handle, (meta.mount, meta.inode))
    }

    #[test]
    fn what_lies_deep_counts_and_what_lies_beside_the_way_there() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = root.path().join("top");
        let levels = KEPT_OPEN + 100;
        for _ in 0..levels {
            fs::create_dir(&folder).unwrap();
            for name in ["a", "z"] {
                fs::write(folder.join(name), "x").unwrap();
            }
            folder.push("m");
        }
        fs::write(&folder, [7; 1000]).unwrap();
        let (handle, _) = opened(root.path());
        let found = extent(handle, OsStr::new("top"), &AtomicBool::new(false)).unwrap();
        assert_eq!(found.length, u64::try_from(2 * levels).unwrap() + 1000);
    }

    #[test]
    fn the_way_back_ends_where_a_folder_was_moved() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "a/b", "c"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        let ((below, _), (_, above)) = (opened(&root.path().join("a/b")), opened(&root.path().join("a")));
        assert!(parent_of(&below, above).is_ok());
        fs::rename(root.path().join("a/b"), root.path().join("c/b")).unwrap();
        assert_eq!(parent_of(&below, above).err(), Some(Errno::AGAIN));
        fs::remove_dir(root.path().join("c/b")).unwrap();
        assert_eq!(parent_of(&below, above).err(), Some(Errno::AGAIN));
    }
}
