//! Copying a tree to where it can be renamed from.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    FlockOperation, Mode, OFlags, Timespec, Timestamps, fchmod, flock, fsync, futimens, mkdirat, openat, symlinkat,
};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{Entry, FOLDER, Kind, Meta, is_reserved, names_in, own_like_folder, read_link};
use crate::staging::{Area, Temporary};
use crate::tasks::Progress;

/// Folders in folders; each level costs open files.
pub(crate) const MAX_LEVELS: usize = 300;
/// Set-id and sticky bits are not copied: who may start a program as somebody else is not the
/// disk's to hand on.
const PERMISSIONS: u32 = 0o777;
/// Copied between two looks at whether it is still wanted.
const STEP_BYTES: u64 = 8 * 1024 * 1024;

/// Copies an entry with all in it: content, times, modes, links as links. Pipes, sockets and
/// devices in folders are left out. Durable when this returns.
pub(crate) fn copy_tree(from: &Entry, owner: impl AsFd, area: Arc<Area>, progress: &Progress) -> DiskResult<Temporary> {
    let meta = from.meta()?.ok_or(DiskError::NotFound)?;
    if let Kind::Special(_) = meta.kind {
        return Err(DiskError::bad_request("not a file or folder"));
    }
    let staged = Temporary::name(area);
    let copying = Copying { owner: openat(owner, ".", FOLDER, Mode::empty())?, progress };
    copying.entry(&from.folder, &from.name, &staged.area.uploads, &staged.name, MAX_LEVELS)?;
    Ok(staged)
}

struct Copying<'a> {
    /// The folder whose owner gets what is made.
    owner: OwnedFd,
    progress: &'a Progress,
}

impl Copying<'_> {
    fn entry(&self, from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr, levels: usize) -> DiskResult<()> {
        self.progress.entry()?;
        let meta = Meta::at(from, name)?;
        match meta.kind {
            Kind::File => self.file(from, name, &meta, to, new_name),
            Kind::Folder => self.folder(from, name, &meta, to, new_name, levels),
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

    fn folder(
        &self,
        from: &OwnedFd,
        name: &OsStr,
        meta: &Meta,
        to: &OwnedFd,
        new_name: &OsStr,
        levels: usize,
    ) -> DiskResult<()> {
        let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request("too deep"))?;
        let source = openat(from, name, FOLDER, Mode::empty())?;
        mkdirat(to, new_name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let copy = openat(to, new_name, flags, Mode::empty())?;
        let _ = flock(&copy, FlockOperation::NonBlockingLockExclusive);
        for child in names_in(&source)? {
            if is_reserved(child.as_bytes()) {
                continue;
            }
            match self.entry(&source, &child, &copy, &child, levels) {
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
