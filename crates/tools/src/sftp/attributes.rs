//! Attributes of files: size, owner, mode and times.

use std::fs::Metadata;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Timespec, Timestamps, Uid, chmodat, chownat, fchmod, fchown, ftruncate, futimens,
    open, utimensat,
};
use tools::wire::{Malformed, Reader, Writer};

use super::handles::Handles;
use super::paths::path;
use super::reply::{Answer, Failure};

const SIZE: u32 = 1;
const OWNER: u32 = 2;
const MODE: u32 = 4;
const TIMES: u32 = 8;
const EXTENDED: u32 = 0x8000_0000;
/// Extended attributes of one file, which are read and not used.
const MAX_EXTENDED: u32 = 64;
/// The part of a mode that can be set.
const SETTABLE: u32 = 0o7777;

/// Attributes as they are sent; each may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) size: Option<u64>,
    pub(super) owner: Option<(u32, u32)>,
    pub(super) mode: Option<u32>,
    /// Last access and change, in seconds since 1970.
    pub(super) times: Option<(u32, u32)>,
}

impl Attributes {
    pub(super) fn of(found: &Metadata) -> Self {
        let time = |seconds: i64| u32::try_from(seconds.max(0)).unwrap_or(u32::MAX);
        Self {
            size: Some(found.size()),
            owner: Some((found.uid(), found.gid())),
            mode: Some(found.mode()),
            times: Some((time(found.atime()), time(found.mtime()))),
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let flags = from.u32()?;
        let mut read = Self::default();
        if flags & SIZE != 0 {
            read.size = Some(from.u64()?);
        }
        if flags & OWNER != 0 {
            read.owner = Some((from.u32()?, from.u32()?));
        }
        if flags & MODE != 0 {
            read.mode = Some(from.u32()?);
        }
        if flags & TIMES != 0 {
            read.times = Some((from.u32()?, from.u32()?));
        }
        if flags & EXTENDED != 0 {
            for _ in 0..from.count(MAX_EXTENDED)? {
                (from.bytes()?, from.bytes()?);
            }
        }
        Ok(read)
    }

    pub(super) fn write(&self, to: &mut Writer) {
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        to.u32(
            flag(self.size.is_some(), SIZE)
                | flag(self.owner.is_some(), OWNER)
                | flag(self.mode.is_some(), MODE)
                | flag(self.times.is_some(), TIMES),
        );
        if let Some(size) = self.size {
            to.u64(size);
        }
        for (one, other) in self.owner.into_iter() {
            to.u32(one).u32(other);
        }
        if let Some(mode) = self.mode {
            to.u32(mode);
        }
        for (one, other) in self.times.into_iter() {
            to.u32(one).u32(other);
        }
    }

    fn ids(&self) -> Option<(Option<Uid>, Option<Gid>)> {
        let (user, group) = self.owner?;
        Some((Some(Uid::from_raw(user)), Some(Gid::from_raw(group))))
    }

    fn timestamps(&self) -> Option<Timestamps> {
        let (access, change) = self.times?;
        let time = |seconds: u32| Timespec { tv_sec: i64::from(seconds), tv_nsec: 0 };
        Some(Timestamps { last_access: time(access), last_modification: time(change) })
    }

    /// The mode of a file that is to be made.
    pub(super) fn mode_or(&self, otherwise: u32) -> Mode {
        Mode::from_raw_mode(self.mode.unwrap_or(otherwise) & SETTABLE)
    }

    fn set_at(&self, path: &Path, follow: bool) -> Result<(), Failure> {
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        if let Some(size) = self.size.filter(|_| follow) {
            let file = open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
            ftruncate(file, size)?;
        }
        if self.mode.is_some() {
            chmodat(CWD, path, self.mode_or(0), flags)?;
        }
        if let Some(times) = self.timestamps() {
            utimensat(CWD, path, &times, flags)?;
        }
        if let Some((user, group)) = self.ids() {
            chownat(CWD, path, user, group, flags)?;
        }
        Ok(())
    }

    fn set_on(&self, file: BorrowedFd<'_>) -> Result<(), Failure> {
        if let Some(size) = self.size {
            ftruncate(file, size)?;
        }
        if self.mode.is_some() {
            fchmod(file, self.mode_or(0))?;
        }
        if let Some(times) = self.timestamps() {
            futimens(file, &times)?;
        }
        if let Some((user, group)) = self.ids() {
            fchown(file, user, group)?;
        }
        Ok(())
    }
}

pub(super) fn of_path(from: &mut Reader<'_>, follow: bool) -> Result<Answer, Failure> {
    let path = path(from)?;
    let found = if follow { path.metadata() } else { path.symlink_metadata() }?;
    Ok(Answer::Attributes(Attributes::of(&found)))
}

pub(super) fn of_handle(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let found = handles.any_file(from)?.metadata()?;
    Ok(Answer::Attributes(Attributes::of(&found)))
}

pub(super) fn set_path(from: &mut Reader<'_>, follow: bool) -> Result<Answer, Failure> {
    let path = path(from)?;
    Attributes::read(from)?.set_at(&path, follow)?;
    Ok(Answer::Done)
}

pub(super) fn set_handle(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let file = handles.any_file(from)?;
    Attributes::read(from)?.set_on(std::os::fd::AsFd::as_fd(file))?;
    Ok(Answer::Done)
}
