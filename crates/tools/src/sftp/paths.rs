//! Names: resolving, making, removing and renaming.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, RenameFlags, linkat, renameat_with};
use rustix::io::Errno;
use tools::wire::Reader;

use super::attributes::Attributes;
use super::reply::{Answer, Entry, Failure};

/// A path of a request; an empty one is the present folder.
pub(super) fn path(from: &mut Reader<'_>) -> Result<PathBuf, Failure> {
    let bytes = from.text()?;
    Ok(if bytes.is_empty() { PathBuf::from(".") } else { PathBuf::from(OsStr::from_bytes(bytes)) })
}

/// One name without attributes.
pub(super) fn only_name(name: PathBuf) -> Answer {
    let name = name.into_os_string().into_vec();
    Answer::Names(vec![Entry { line: name.clone(), name, attributes: Attributes::default() }])
}

pub(super) fn resolve(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    Ok(only_name(absolute(&path(from)?)?))
}

/// An absolute path without links; the last part need not exist.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    match fs::canonicalize(path) {
        Ok(whole) => Ok(whole),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NOENT) => {
            let name = path.file_name().ok_or(Errno::NOENT)?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok(fs::canonicalize(folder)?.join(name))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn remove(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    fs::remove_file(path(from)?)?;
    Ok(Answer::Done)
}

pub(super) fn remove_folder(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    fs::remove_dir(path(from)?)?;
    Ok(Answer::Done)
}

pub(super) fn make_folder(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let path = path(from)?;
    let mode = Attributes::read(from)?.mode_or(0o777);
    DirBuilder::new().mode(mode.as_raw_mode()).create(path)?;
    Ok(Answer::Done)
}

/// Never replaces anything.
pub(super) fn rename(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let (old, new) = (path(from)?, path(from)?);
    match renameat_with(CWD, &old, CWD, &new, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(Answer::Done),
        // File systems that can't do that at once, such as NFS.
        Err(Errno::INVAL | Errno::NOSYS) => rename_in_two_steps(&old, &new),
        Err(error) => Err(error.into()),
    }
}

fn rename_in_two_steps(old: &Path, new: &Path) -> Result<Answer, Failure> {
    if old.symlink_metadata()?.is_file() {
        match linkat(CWD, old, CWD, new, AtFlags::empty()) {
            Ok(()) => {
                fs::remove_file(old)?;
                return Ok(Answer::Done);
            }
            // Without links, too.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::XDEV | Errno::MLINK) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if new.symlink_metadata().is_ok() {
        return Err(Errno::EXIST.into());
    }
    fs::rename(old, new)?;
    Ok(Answer::Done)
}

pub(super) fn read_link(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    Ok(only_name(fs::read_link(path(from)?)?))
}

/// The target comes first, as OpenSSH has it, and with it all clients.
pub(super) fn link(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let (target, link) = (path(from)?, path(from)?);
    std::os::unix::fs::symlink(target, link)?;
    Ok(Answer::Done)
}
