//! Copying a tree to where it can be renamed from.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps, fchmod, flock, fsync, futimens, linkat, mkdirat,
    openat, symlinkat,
};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{Entry, FOLDER, Kind, Meta, is_reserved, names_in, own_like_folder, read_link};
use crate::progress::Progress;
use crate::reason::Reason;
use crate::staging::{Area, Temporary};
use crate::usage::Reservation;

/// Folders in folders; each level costs open files.
pub const MAX_LEVELS: usize = 300;
/// Set-id and sticky bits are not copied: the disk must not pass on the right to run a program as another user.
const PERMISSIONS: u32 = 0o777;
/// Bytes copied between two checks for cancellation.
const STEP_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes compared at once.
const COMPARED_BYTES: usize = 256 * 1024;

/// Copies an entry with all in it: content, times, modes, links as links. Pipes, sockets and
/// devices in folders are left out. Durable when this returns.
pub(crate) fn copy_tree(from: &Entry, owner: impl AsFd, area: Arc<Area>, progress: &Progress) -> DiskResult<Temporary> {
    copy_tree_beside(from, owner, area, None, progress)
}

/// An earlier read-only copy. Bytes that a new copy does not share with it take space.
pub struct Before<'a> {
    pub folder: &'a OwnedFd,
    pub room: &'a mut Reservation,
}

/// Like [`copy_tree`], but a file that `before` has at the same path with the same content and time becomes a hard link
/// to it, and space is reserved for all others.
pub fn copy_tree_beside(
    from: &Entry,
    owner: impl AsFd,
    area: Arc<Area>,
    before: Option<Before<'_>>,
    progress: &Progress,
) -> DiskResult<Temporary> {
    let meta = from.meta()?.ok_or(DiskError::NotFound)?;
    if let Kind::Special(_) = meta.kind {
        return Err(DiskError::bad_request(Reason::SpecialFile));
    }
    let staged = Temporary::name(area);
    let (before, room) = before.map(|before| (before.folder, RefCell::new(before.room))).unzip();
    let copying = Copying { owner: openat(owner, ".", FOLDER, Mode::empty())?, room, progress };
    let place = (&staged.area.uploads, staged.name.as_os_str());
    if meta.is_folder() {
        progress.entry()?;
        copying.folder((&from.folder, &from.name), &meta, place, before, MAX_LEVELS)?;
    } else {
        copying.entry((&from.folder, &from.name), place, None, MAX_LEVELS)?;
    }
    Ok(staged)
}

struct Copying<'a> {
    /// The folder whose owner gets the new entries.
    owner: OwnedFd,
    /// For bytes that were not reserved before.
    room: Option<RefCell<&'a mut Reservation>>,
    progress: &'a Progress,
}

impl Copying<'_> {
    fn set_aside(&self, bytes: u64) -> DiskResult<()> {
        self.room.as_ref().map_or(Ok(()), |room| room.borrow_mut().grow_by(bytes))
    }

    fn entry(
        &self,
        (from, name): (&OwnedFd, &OsStr),
        (to, new_name): (&OwnedFd, &OsStr),
        before: Option<&OwnedFd>,
        levels: usize,
    ) -> DiskResult<()> {
        self.progress.entry()?;
        let meta = Meta::at(from, name)?;
        match meta.kind {
            Kind::File => match before {
                Some(before) if self.take_over(from, before, name, &meta, to)? => Ok(()),
                _ => self.file(from, name, &meta, to, new_name),
            },
            Kind::Folder => {
                let before = before.and_then(|before| openat(before, name, FOLDER, Mode::empty()).ok());
                self.folder((from, name), &meta, (to, new_name), before.as_ref(), levels)
            }
            Kind::Link => {
                let link = openat(from, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
                Ok(symlinkat(read_link(&link)?.as_os_str(), to, new_name)?)
            }
            Kind::Special(_) => Ok(()),
        }
    }

    fn file(&self, from: &OwnedFd, name: &OsStr, meta: &Meta, to: &OwnedFd, new_name: &OsStr) -> DiskResult<()> {
        let quiet = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        // A handle first: the name may be a device's by now.
        let handle = openat(from, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        if Meta::of(&handle)?.kind != Kind::File {
            return Err(DiskError::Busy);
        }
        let mut source = File::from(openat(from, name, OFlags::RDONLY | quiet, Mode::empty())?);
        if !Meta::of(&source)?.same_entry(meta) {
            return Err(DiskError::Busy);
        }
        self.set_aside(meta.used)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | quiet;
        let mut copy = File::from(openat(to, new_name, flags, Mode::RUSR | Mode::WUSR)?);
        let _ = flock(&copy, FlockOperation::NonBlockingLockExclusive);
        // Within one file system the kernel shares the blocks or copies them itself.
        loop {
            let copied = std::io::copy(&mut (&mut source).take(STEP_BYTES), &mut copy)?;
            if copied == 0 {
                break;
            }
            self.progress.advance(copied)?;
        }
        self.finish(&copy, meta)?;
        Ok(fsync(&copy)?)
    }

    /// Hard-links the file from the earlier copy if it is unchanged. Returns whether it was.
    fn take_over(&self, from: &OwnedFd, before: &OwnedFd, name: &OsStr, meta: &Meta, to: &OwnedFd) -> DiskResult<bool> {
        let alike = |there: &Meta| {
            there.kind == Kind::File
                && there.size == meta.size
                && there.modified == meta.modified
                && there.mode == meta.mode
        };
        if !Meta::at(before, name).is_ok_and(|there| alike(&there)) {
            return Ok(false);
        }
        if !same_content((from, name), (before, name), self.progress)? {
            return Ok(false);
        }
        match linkat(before, name, to, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            // It has the maximum number of links, or the file system does not support hard links.
            Err(Errno::MLINK | Errno::PERM | Errno::NOTSUP | Errno::XDEV) => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    fn folder(
        &self,
        (from, name): (&OwnedFd, &OsStr),
        meta: &Meta,
        (to, new_name): (&OwnedFd, &OsStr),
        before: Option<&OwnedFd>,
        levels: usize,
    ) -> DiskResult<()> {
        let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request(Reason::TooDeep))?;
        let source = openat(from, name, FOLDER, Mode::empty())?;
        self.set_aside(meta.used)?;
        mkdirat(to, new_name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let copy = openat(to, new_name, flags, Mode::empty())?;
        let _ = flock(&copy, FlockOperation::NonBlockingLockExclusive);
        for child in names_in(&source)? {
            if is_reserved(child.as_bytes()) {
                continue;
            }
            match self.entry((&source, &child), (&copy, &child), before, levels) {
                // It went while the copy was under way.
                Err(DiskError::NotFound) => {}
                other => other?,
            }
        }
        self.finish(&copy, meta)?;
        match fsync(&copy) {
            Err(Errno::INVAL) => Ok(()),
            other => Ok(other?),
        }
    }

    fn finish(&self, copy: impl AsFd, meta: &Meta) -> DiskResult<()> {
        own_like_folder(&self.owner, &copy)?;
        fchmod(&copy, Mode::from_raw_mode(meta.mode & PERMISSIONS))?;
        let at = Timespec { tv_sec: meta.modified.seconds, tv_nsec: meta.modified.nanos.into() };
        Ok(futimens(&copy, &Timestamps { last_access: at, last_modification: at })?)
    }
}

/// Whether two regular files hold the same bytes.
pub fn same_content(
    (folder, name): (&OwnedFd, &OsStr),
    (other_folder, other_name): (&OwnedFd, &OsStr),
    progress: &Progress,
) -> DiskResult<bool> {
    let open = |folder: &OwnedFd, name: &OsStr| {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        openat(folder, name, flags, Mode::empty()).map(File::from)
    };
    let (mut one, mut other) = (open(folder, name)?, open(other_folder, other_name)?);
    let mut parts = (vec![0; COMPARED_BYTES], vec![0; COMPARED_BYTES]);
    loop {
        progress.check()?;
        let read = read_full(&mut one, &mut parts.0)?;
        if read != read_full(&mut other, &mut parts.1)? || parts.0[..read] != parts.1[..read] {
            return Ok(false);
        }
        if read < COMPARED_BYTES {
            return Ok(true);
        }
    }
}

/// As much as fits, less only at the end of the file.
fn read_full(file: &mut File, into: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match file.read(&mut into[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}
