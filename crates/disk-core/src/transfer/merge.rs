//! A folder's content into a folder that is there already.

use std::ffi::OsStr;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{Entry, FOLDER, Meta, names_in, rename_new, sync_folder};
use crate::reason::{Reason, Why};

/// Folders in folders that both have; each level costs two open files.
const MAX_LEVELS: usize = 200;

/// Moves everything in `name` into the folder `to`, replacing files with the same names, and removes the emptied
/// folder. First checks whether a file would meet a folder somewhere, so that a refusal changes nothing.
pub(super) fn merge(from: BorrowedFd<'_>, name: &OsStr, to: &Entry) -> DiskResult<()> {
    let source = openat(from, name, FOLDER, Mode::empty())?;
    let target = openat(&to.folder, to.name.as_os_str(), FOLDER, Mode::empty())?;
    check(&source, &target, MAX_LEVELS)?;
    move_into(&source, &target, MAX_LEVELS)?;
    unlinkat(from, name, AtFlags::REMOVEDIR)?;
    Ok(())
}

/// The entries of both folders with this name.
fn both(source: &OwnedFd, target: &OwnedFd, name: &OsStr) -> DiskResult<Option<(Meta, Meta)>> {
    match Meta::at(target, name) {
        Ok(there) => Ok(Some((Meta::at(source, name)?, there))),
        Err(Errno::NOENT) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

fn check(source: &OwnedFd, target: &OwnedFd, levels: usize) -> DiskResult<()> {
    for name in names_in(source)? {
        let Some((coming, there)) = both(source, target, &name)? else { continue };
        if coming.is_folder() != there.is_folder() {
            return Err(DiskError::conflict(Why::told(
                Reason::MixedKinds,
                format!("a file and a folder are named {}", name.to_string_lossy()),
            )));
        }
        if coming.is_folder() {
            let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request(Reason::TooDeep))?;
            check(&subfolder(source, &name)?, &subfolder(target, &name)?, levels)?;
        }
    }
    Ok(())
}

fn move_into(source: &OwnedFd, target: &OwnedFd, levels: usize) -> DiskResult<()> {
    for name in names_in(source)? {
        match both(source, target, &name)? {
            None => rename_new(source, &name, target, &name)?,
            Some((coming, there)) if coming.is_folder() && there.is_folder() => {
                let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request(Reason::TooDeep))?;
                move_into(&subfolder(source, &name)?, &subfolder(target, &name)?, levels)?;
                unlinkat(source, name.as_os_str(), AtFlags::REMOVEDIR)?;
            }
            Some(_) => renameat(source, name.as_os_str(), target, name.as_os_str())?,
        }
    }
    sync_folder(target)?;
    Ok(())
}

fn subfolder(parent: impl AsFd, name: &OsStr) -> DiskResult<OwnedFd> {
    Ok(openat(parent, name, FOLDER, Mode::empty())?)
}
