//! One rename into place, and the handling of a taken name.

use std::ffi::{OsStr, OsString};

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::renameat;
use rustix::io::Errno;

use super::merge::merge;
use super::names::numbered;
use crate::error::{DiskError, DiskResult};
use crate::jail::{Entry, Meta, exchange, rename_new, sync_folder};
use crate::projects::Projects;
use crate::reason::Reason;

/// Numbers that are tried for a free name.
pub(super) const MAX_NUMBER: u32 = 10_000;

/// What to do when the name is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// 409.
    Refuse,
    /// A file replaces a file, a folder's content is merged into a folder.
    Replace,
    /// `name(1)`, `name(2)` and so on.
    FreeName,
    /// The two exchange places in one step, whatever they are. The caller removes the old entry from its new location.
    Exchange,
}

impl Clash {
    /// From the two wishes that clients have; the first wins.
    pub fn asked(rename: bool, replace: bool) -> Self {
        match (rename, replace) {
            (true, _) => Self::FreeName,
            (false, true) => Self::Replace,
            (false, false) => Self::Refuse,
        }
    }
}

/// The result of a rename into place.
#[derive(Debug)]
pub struct Placed {
    /// The name it has now.
    pub name: OsString,
    /// Bytes freed by the replaced file.
    pub freed: u64,
    /// Folders were merged; the change of used space is unknown.
    pub(crate) merged: bool,
    /// The former entry has the other name now.
    pub(crate) exchanged: bool,
}

impl Placed {
    fn at(name: OsString) -> Self {
        Self { name, freed: 0, merged: false, exchanged: false }
    }
}

/// The origin of an entry that is renamed into place.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    pub projects: &'a Projects,
    /// The project that it counts for now, where that is known.
    pub project: Option<u32>,
}

impl<'a> Origin<'a> {
    /// It was made for this.
    pub fn staged(projects: &'a Projects) -> Self {
        Self { projects, project: None }
    }
}

/// Renames `name` in `from`, which is on the same mount, to `to`. It counts for the project of that place from then on.
pub fn place(origin: Origin<'_>, from: impl AsFd, name: &OsStr, to: &Entry, clash: Clash) -> DiskResult<Placed> {
    let (projects, from) = (origin.projects, from.as_fd());
    let names = to.names();
    let project = projects.at(&names);
    // A folder for a whole space lies in one that passes nothing on.
    let begins = project.is_some() && names.len() == 2;
    let leaves = begins || origin.project.is_some() && origin.project != project;
    if leaves {
        projects.tag(from, name, project)?;
    }
    let placed = match put(from, name, to, clash) {
        // Only now it is known not to have the project yet.
        Err(error) if error.is_across() && project.is_some() && !leaves => {
            projects.tag(from, name, project)?;
            put(from, name, to, clash)
        }
        placed => placed,
    };
    if leaves && placed.is_err() {
        projects.tag(from, name, origin.project)?;
    }
    placed
}

fn put(from: BorrowedFd<'_>, name: &OsStr, to: &Entry, clash: Clash) -> DiskResult<Placed> {
    let placed = match clash {
        Clash::Refuse => {
            rename_new(from, name, &to.folder, &to.name)?;
            Placed::at(to.name.clone())
        }
        Clash::Replace => replace(from, name, to)?,
        Clash::FreeName => free_name(from, name, to)?,
        Clash::Exchange => make_way(from, name, to)?,
    };
    sync_folder(&to.folder)?;
    Ok(placed)
}

fn replace(from: BorrowedFd<'_>, name: &OsStr, to: &Entry) -> DiskResult<Placed> {
    let mut placed = Placed::at(to.name.clone());
    let coming = Meta::at(from, name)?;
    let Some(there) = to.meta()? else {
        match rename_new(from, name, &to.folder, &to.name) {
            // Another request created it meanwhile: it is replaced, as requested.
            Err(Errno::EXIST) => return replace(from, name, to),
            other => other?,
        }
        return Ok(placed);
    };
    match (coming.is_folder(), there.is_folder()) {
        (false, false) => {
            renameat(from, name, &to.folder, to.name.as_os_str())?;
            if coming.same_entry(&there) {
                // Two names of one file: the kernel leaves both, but one is to go.
                rustix::fs::unlinkat(from, name, rustix::fs::AtFlags::empty())?;
            } else if there.links <= 1 {
                placed.freed = there.used;
            }
        }
        (true, true) => {
            merge(from, name, to)?;
            placed.merged = true;
        }
        (false, true) => return Err(DiskError::conflict(Reason::FolderThere)),
        (true, false) => return Err(DiskError::conflict(Reason::FileThere)),
    }
    Ok(placed)
}

fn make_way(from: BorrowedFd<'_>, name: &OsStr, to: &Entry) -> DiskResult<Placed> {
    let exchanged = match exchange(from, name, &to.folder, &to.name) {
        Ok(()) => true,
        Err(Errno::NOENT) => {
            rename_new(from, name, &to.folder, &to.name)?;
            false
        }
        Err(other) => return Err(other.into()),
    };
    Ok(Placed { exchanged, ..Placed::at(to.name.clone()) })
}

fn free_name(from: BorrowedFd<'_>, name: &OsStr, to: &Entry) -> DiskResult<Placed> {
    let folder = Meta::at(from, name)?.is_folder();
    for number in 0..MAX_NUMBER {
        let free = if number == 0 { to.name.clone() } else { numbered(&to.name, number, folder) };
        match rename_new(from, name, &to.folder, &free) {
            Ok(()) => return Ok(Placed::at(free)),
            Err(Errno::EXIST) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(DiskError::conflict(Reason::NoFreeName))
}
