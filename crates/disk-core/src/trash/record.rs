//! The record beside a deleted entry: `{id}.json`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use uuid::Uuid;

use super::model::Deleted;
use crate::error::{DiskError, DiskResult};
use crate::jail::sync_folder;

const ENDING: &str = ".json";
/// A path has at most 16 KiB, which JSON makes six times as long at the worst.
const MAX_BYTES: u64 = 256 * 1024;

fn name(id: Uuid) -> String {
    format!("{}{ENDING}", content(id))
}

/// The name that the deleted entry itself has in the area.
pub(super) fn content(id: Uuid) -> String {
    id.simple().to_string()
}

/// The id of a record by its name.
pub(super) fn id_of(name: &OsStr) -> Option<Uuid> {
    Uuid::try_parse(name.to_str()?.strip_suffix(ENDING)?).ok()
}

/// Writes a record; durable when this returns.
pub(super) fn write(area: impl AsFd, deleted: &Deleted) -> DiskResult<()> {
    let text = serde_json::to_vec(deleted).map_err(DiskError::internal)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&area, name(deleted.id), flags, Mode::from_raw_mode(0o600))?);
    let written = file.write_all(&text).and_then(|()| file.sync_all());
    if let Err(error) = written {
        remove(area, deleted.id)?;
        return Err(error.into());
    }
    Ok(sync_folder(area)?)
}

/// Reads a record; `None` when it is damaged, which is only possible for a record whose entry was never moved.
pub(super) fn read(area: impl AsFd, id: Uuid) -> DiskResult<Option<Deleted>> {
    let file = openat(area, name(id), OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let mut text = Vec::new();
    File::from(file).take(MAX_BYTES).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok().filter(|deleted: &Deleted| deleted.id == id))
}

/// Removes a record, if it exists.
pub(super) fn remove(area: impl AsFd, id: Uuid) -> DiskResult<()> {
    match unlinkat(area, name(id), AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(other) => Err(other.into()),
    }
}

/// A name from the file system as text; `None` when it is not UTF-8.
pub(super) fn as_text(names: &[OsString]) -> Option<Vec<String>> {
    names.iter().map(|name| name.to_str().map(str::to_owned)).collect()
}
