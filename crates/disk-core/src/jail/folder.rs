//! Reading the names in a folder.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use rustix::fd::AsFd;
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;

/// Iterates over the names in a folder with their type as the folder reports it, which may be unknown.
pub fn read_entries(folder: impl AsFd, mut each: impl FnMut(&OsStr, FileType)) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let folder = openat(folder, ".", flags, Mode::empty())?;
    for entry in Dir::new(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(OsStr::from_bytes(name), entry.file_type());
        }
    }
    Ok(())
}

/// All of them.
pub fn entries(folder: impl AsFd) -> Result<Vec<(OsString, FileType)>, Errno> {
    let mut found = Vec::new();
    read_entries(folder, |name, kind| found.push((name.to_owned(), kind)))?;
    Ok(found)
}

/// The names alone.
pub fn names_in(folder: impl AsFd) -> Result<Vec<OsString>, Errno> {
    Ok(entries(folder)?.into_iter().map(|(name, _)| name).collect())
}
