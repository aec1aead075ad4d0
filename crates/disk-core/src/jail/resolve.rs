//! From names to handles.
//!
//! Every opening starts at the disk's root and passes through no link at all: where the kernel
//! has `openat2` it is asked for that in one call, else the names are opened one by one with
//! `O_NOFOLLOW`. A link that turns up is read as text, its target is put in place of its name,
//! and the search starts again. So containment does not rest on a check that something could
//! change behind: there is no way to open anything outside.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2, readlinkat};
use rustix::io::Errno;

use super::path::is_reserved;
use super::{Jail, Kind, Location, Meta};
use crate::error::{DiskError, DiskResult};

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;
/// `openat2` takes paths shorter than `PATH_MAX`.
const ONE_CALL_BYTES: usize = 4000;

/// Through no link at all, and not out of the disk.
const PLAIN: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

const HANDLE: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An entry that was found, with a handle that reads and writes nothing (`O_PATH`).
#[derive(Debug)]
pub struct Found {
    pub handle: OwnedFd,
    pub meta: Meta,
    /// Its true names from the disk's root down, free of links.
    pub names: Vec<OsString>,
}

enum Step {
    Opened(OwnedFd, Meta),
    /// The name at this index is a link.
    Link(usize, OsString),
}

impl Jail {
    /// Opens an entry, following links within the space. 403 where a rule denies it.
    pub fn find(&self, at: &Location) -> DiskResult<Found> {
        let found = self.find_any(at)?;
        at.access.check(&found.names)?;
        Ok(found)
    }

    /// The same without checking the rules: a denied folder may contain allowed entries.
    pub(super) fn find_any(&self, at: &Location) -> DiskResult<Found> {
        let mut names = at.names.clone();
        for _ in 0..MAX_LINKS {
            let step = match self.step(&names) {
                Err(Errno::NOENT) if at.make_base => {
                    self.make_base(at)?;
                    self.step(&names)
                }
                step => step,
            };
            match step? {
                Step::Opened(handle, meta) => return Ok(Found { handle, meta, names }),
                Step::Link(index, _) if index < at.base || !at.links => return Err(DiskError::Forbidden),
                Step::Link(index, target) => {
                    let rest = names.split_off(index + 1);
                    names.truncate(index);
                    follow(&mut names, at.base, &target)?;
                    names.extend(rest);
                }
            }
        }
        Err(DiskError::Forbidden)
    }

    /// Opens a regular file for reading if the kernel has everything for this in memory and no link is on the way.
    /// Never waits for a disk. In all other cases, [`Jail::find`] decides.
    pub fn open_in_memory(&self, at: &Location) -> Option<(File, Meta)> {
        at.access.check(&at.names).ok()?;
        let path = self.one_call(&at.names)?;
        let handle = openat2(&self.root, path, HANDLE, Mode::empty(), PLAIN | ResolveFlags::CACHED).ok()?;
        let meta = Meta::cached(&handle).ok()?;
        if meta.kind != Kind::File || !meta.is_local() {
            return None;
        }
        Some((self.reopen(&handle, OFlags::RDONLY).ok()?, meta))
    }

    /// The path for `openat2`, where it can take these names.
    fn one_call(&self, names: &[OsString]) -> Option<OsString> {
        let bytes: usize = names.iter().map(|name| name.len() + 1).sum();
        let possible = !self.one_by_one && bytes < ONE_CALL_BYTES;
        possible.then(|| if names.is_empty() { ".".into() } else { names.join(OsStr::new("/")) })
    }

    /// Opens names without links, or returns the position of the first link.
    fn step(&self, names: &[OsString]) -> Result<Step, Errno> {
        if let Some(path) = self.one_call(names) {
            match openat2(&self.root, path, HANDLE, Mode::empty(), PLAIN) {
                Ok(handle) => {
                    let meta = Meta::of(&handle)?;
                    if meta.kind != Kind::Link {
                        return Ok(Step::Opened(handle, meta));
                    }
                }
                // A link on the way, a rename that raced, or a sandbox that hides the call.
                Err(Errno::LOOP | Errno::AGAIN | Errno::PERM | Errno::NOSYS) => {}
                Err(other) => return Err(other),
            }
        }
        self.step_one_by_one(names)
    }

    fn step_one_by_one(&self, names: &[OsString]) -> Result<Step, Errno> {
        let mut handle = openat(&self.root, ".", HANDLE | OFlags::DIRECTORY, Mode::empty())?;
        let mut meta = Meta::of(&handle)?;
        for (index, name) in names.iter().enumerate() {
            if !meta.is_folder() {
                return Err(Errno::NOTDIR);
            }
            let next = openat(&handle, name.as_os_str(), HANDLE, Mode::empty())?;
            meta = Meta::of(&next)?;
            if meta.kind == Kind::Link {
                return Ok(Step::Link(index, read_link(&next)?));
            }
            handle = next;
        }
        Ok(Step::Opened(handle, meta))
    }
}

/// The text of a link that is open as a handle.
pub(crate) fn read_link(link: impl AsFd) -> Result<OsString, Errno> {
    Ok(OsString::from_vec(readlinkat(link, "", Vec::new())?.into_bytes()))
}

/// Resolves a link's target from the folder `names`. `..` removes the last name: the earlier `names` are already free
/// of links, and within one target `link/..` is dropped.
fn follow(names: &mut Vec<OsString>, base: usize, target: &OsStr) -> DiskResult<()> {
    if target.as_bytes().starts_with(b"/") {
        return Err(DiskError::Forbidden);
    }
    for part in target.as_bytes().split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if names.len() <= base => return Err(DiskError::Forbidden),
            b".." => {
                names.pop();
            }
            own if is_reserved(own) => return Err(DiskError::NotFound),
            name => names.push(OsStr::from_bytes(name).to_owned()),
        }
    }
    Ok(())
}
