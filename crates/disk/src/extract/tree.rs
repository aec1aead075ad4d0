//! The extracted tree while it grows, in a hidden folder.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};

use disk_core::error::DiskResult;
use disk_core::jail::{FILE_MODE, FOLDER, FOLDER_MODE, Moment, own_like_folder};
use disk_core::rules::Access;
use disk_core::usage::Reservation;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Mode, OFlags, Timespec, Timestamps, fchmod, futimens, linkat, mkdirat, openat, symlinkat, unlinkat,
    utimensat,
};
use rustix::io::Errno;

use super::budget::Budget;
use super::damaged;
use super::names::EntryPath;

/// Read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// Maximum memory for links and the times of folders, which are applied at the end.
const MAX_NOTES_BYTES: usize = 64 * 1024 * 1024;

/// Attributes of an archive's entry besides its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    /// Whether it is a program.
    pub(super) executable: bool,
    pub(super) modified: Option<Moment>,
}

impl Attributes {
    /// Takes only the executable bit from Unix permissions: others get no access, and set-id bits are dropped.
    pub(super) fn new(mode: Option<u32>, modified: Option<Moment>) -> Self {
        Self { executable: mode.is_some_and(|mode| mode & 0o100 != 0), modified }
    }

    fn mode(self) -> Mode {
        if self.executable { FILE_MODE | Mode::XUSR | Mode::XGRP } else { FILE_MODE }
    }

    fn times(self) -> Option<Timestamps> {
        let at = self.modified?;
        let at = Timespec { tv_sec: at.seconds, tv_nsec: at.nanos.into() };
        Some(Timestamps { last_access: at, last_modification: at })
    }
}

/// Work for the end, when all files exist: links last, so that nothing is written through one, and the times of
/// folders, which change while they are filled.
enum Note {
    Link(EntryPath, OsString),
    Times(EntryPath, Timestamps),
}

pub(super) struct Tree<'a> {
    root: OwnedFd,
    /// The folder whose owner gets the new entries.
    owner: OwnedFd,
    access: &'a Access,
    /// The destination of the tree, which rules are checked against.
    names: Vec<OsString>,
    pub(super) budget: Budget<'a>,
    /// The folders from the root down to where the last entry was.
    open: Vec<(String, OwnedFd)>,
    notes: Vec<Note>,
    notes_bytes: usize,
    buffer: Vec<u8>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        root: OwnedFd,
        owner: OwnedFd,
        access: &'a Access,
        names: Vec<OsString>,
        budget: Budget<'a>,
    ) -> Self {
        let (open, notes, buffer) = (Vec::new(), Vec::new(), vec![0; CHUNK_BYTES]);
        Self { root, owner, access, names, budget, open, notes, notes_bytes: 0, buffer }
    }

    /// Leaves an entry out.
    pub(super) fn skip(&mut self) -> DiskResult<()> {
        self.budget.skip()
    }

    pub(super) fn folder(&mut self, path: &EntryPath, attributes: Attributes) -> DiskResult<()> {
        if !self.enter(path.names())? {
            return self.skip();
        }
        if let Some(times) = attributes.times() {
            self.note(path, 0, |path| Note::Times(path, times));
        }
        Ok(())
    }

    /// Writes a file; replaces an existing one, as the later entry counts.
    pub(super) fn file(&mut self, path: &EntryPath, attributes: Attributes, content: &mut dyn Read) -> DiskResult<()> {
        let (folder, name) = path.split();
        if !self.enter(folder)? || !self.allows(path.names()) {
            return self.skip();
        }
        self.budget.entry()?;
        let folder = self.open.last().map_or(&self.root, |(_, folder)| folder);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(folder, name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => match unlinkat(folder, name, AtFlags::empty()) {
                Err(Errno::ISDIR) => return self.skip(),
                unlinked => {
                    unlinked?;
                    openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?
                }
            },
            file => file?,
        };
        let mut file = File::from(file);
        let mut size = 0;
        loop {
            let read = match content.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(damaged(&error)),
            };
            let more = read.try_into().unwrap_or(u64::MAX);
            size += more;
            self.budget.grow(more, size, &self.root)?;
            file.write_all(&self.buffer[..read])?;
        }
        own_like_folder(&self.owner, &file)?;
        fchmod(&file, attributes.mode())?;
        if let Some(times) = attributes.times() {
            futimens(&file, &times)?;
        }
        self.budget.finish(size)
    }

    /// Reads unwanted content, which takes no space but time, and is bounded like the rest.
    pub(super) fn pass_over(&mut self, content: &mut dyn Read) -> DiskResult<()> {
        loop {
            let read = content.read(&mut self.buffer).map_err(|error| damaged(&error))?;
            if read == 0 {
                return Ok(());
            }
            self.budget.pass(read.try_into().unwrap_or(u64::MAX))?;
        }
    }

    /// Makes a link at the end, if it can't lead out.
    pub(super) fn link(&mut self, path: &EntryPath, text: &[u8]) -> DiskResult<()> {
        use std::os::unix::ffi::OsStringExt;
        if !path.may_link_to(text) || !self.allows(path.names()) {
            return self.skip();
        }
        let text = OsString::from_vec(text.to_vec());
        if self.note(path, text.len(), |path| Note::Link(path, text)) { self.budget.entry() } else { self.skip() }
    }

    /// A second name for a file that was unpacked before.
    pub(super) fn hard_link(&mut self, path: &EntryPath, first: &EntryPath) -> DiskResult<()> {
        if !self.allows(path.names()) || !self.allows(first.names()) {
            return self.skip();
        }
        let (folder, name) = first.split();
        if !self.exists(folder)? || !self.enter(folder)? {
            return self.skip();
        }
        let from = openat(self.open.last().map_or(&self.root, |(_, folder)| folder), ".", FOLDER, Mode::empty())?;
        let (folder, new_name) = path.split();
        if !self.enter(folder)? {
            return self.skip();
        }
        let to = self.open.last().map_or(&self.root, |(_, folder)| folder);
        // No link is there yet, so this is a file of this archive, or nothing.
        match linkat(&from, name, to, new_name, AtFlags::empty()) {
            Ok(()) => {
                self.budget.entry()?;
                self.budget.finish(0)
            }
            Err(Errno::NOENT | Errno::EXIST | Errno::PERM | Errno::MLINK) => self.skip(),
            Err(other) => Err(other.into()),
        }
    }

    /// Applies the remaining work, and makes everything durable.
    pub(super) fn finish(mut self) -> DiskResult<Reservation> {
        let mut times = Vec::new();
        for note in std::mem::take(&mut self.notes) {
            match note {
                Note::Link(path, text) => self.make_link(&path, &text)?,
                Note::Times(path, at) => times.push((path, at)),
            }
        }
        // The deepest first: setting a time changes none above it.
        times.sort_by_key(|(path, _)| std::cmp::Reverse(path.names().len()));
        for (path, at) in times {
            let (folder, name) = path.split();
            if self.enter(folder)? {
                let folder = self.open.last().map_or(&self.root, |(_, folder)| folder);
                utimensat(folder, name, &at, AtFlags::SYMLINK_NOFOLLOW)?;
            }
        }
        own_like_folder(&self.owner, &self.root)?;
        fchmod(&self.root, FOLDER_MODE)?;
        // One call for all files instead of one per file.
        rustix::fs::syncfs(&self.root)?;
        Ok(self.budget.into_room())
    }

    fn make_link(&mut self, path: &EntryPath, text: &OsString) -> DiskResult<()> {
        let (folder, name) = path.split();
        if !self.enter(folder)? {
            return self.skip();
        }
        let folder = self.open.last().map_or(&self.root, |(_, folder)| folder);
        match symlinkat(text.as_os_str(), folder, name) {
            Ok(()) => self.budget.finish(0),
            Err(Errno::EXIST) => self.skip(),
            Err(other) => Err(other.into()),
        }
    }

    /// Whether there was memory for it.
    fn note(&mut self, path: &EntryPath, bytes: usize, note: impl FnOnce(EntryPath) -> Note) -> bool {
        let names: usize = path.names().iter().map(|name| name.len() + size_of::<String>()).sum();
        self.notes_bytes += names + bytes + size_of::<Note>();
        let fits = self.notes_bytes <= MAX_NOTES_BYTES;
        if fits {
            self.notes.push(note(path.clone()));
        }
        fits
    }

    /// Whether the rules allow this entry, where it will lie, and the folders that it lies in.
    fn allows(&self, names: &[String]) -> bool {
        if self.access.is_open() {
            return true;
        }
        let mut path = self.names.clone();
        names.iter().all(|name| {
            path.push(name.into());
            self.access.allows(&path)
        })
    }

    /// Whether these folders are there already.
    fn exists(&self, names: &[String]) -> DiskResult<bool> {
        let mut folder = openat(&self.root, ".", FOLDER, Mode::empty())?;
        for name in names {
            folder = match openat(&folder, name.as_str(), FOLDER, Mode::empty()) {
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
                folder => folder?,
            };
        }
        Ok(true)
    }

    /// Opens these folders, creates missing ones, and leaves the last one at the end of `open`. False when a rule
    /// denies one, or a file has the name.
    fn enter(&mut self, names: &[String]) -> DiskResult<bool> {
        let same = self.open.iter().zip(names).take_while(|((open, _), name)| open == *name).count();
        self.open.truncate(same);
        if same < names.len() && !self.allows(names) {
            return Ok(false);
        }
        for name in &names[same..] {
            let parent = self.open.last().map_or(&self.root, |(_, folder)| folder);
            let made = match mkdirat(parent, name.as_str(), FOLDER_MODE) {
                Ok(()) => true,
                Err(Errno::EXIST) => false,
                Err(other) => return Err(other.into()),
            };
            let folder = match openat(parent, name.as_str(), FOLDER, Mode::empty()) {
                Err(Errno::NOTDIR | Errno::LOOP) => return Ok(false),
                folder => folder?,
            };
            if made {
                own_like_folder(&self.owner, &folder)?;
                self.budget.entry()?;
                self.budget.finish(1)?;
            }
            self.open.push((name.clone(), folder));
        }
        Ok(true)
    }
}
