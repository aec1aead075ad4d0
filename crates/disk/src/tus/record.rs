//! What is written down of an upload so that it outlasts a restart: beside the file `{id}` with
//! what has arrived there is `{id}.json` with the record, `{id}.received` with the durable length ([`progress`]), and
//! `{id}.check` while a piece is coming in whose digest is not known to be right.
//!
//! [`progress`]: super::progress

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};

use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::UploadTarget;
use disk_core::jail::{Jail, Kind, Location, Meta};
use disk_core::space::Space;
use kernel::UserId;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, ftruncate, openat, unlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::concat::Concat;
use super::create::UploadRequest;
use super::progress::Boot;
use super::request::Call;

/// Bounds what is read for a record; a larger file is corrupt.
const MAX_RECORD_BYTES: u64 = 128 * 1024;
pub(super) const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// The record of an upload's creation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// The user who began it; other users may not continue it.
    pub(super) user: UserId,
    /// The destination's names, from the disk's root down, as given.
    pub(super) names: Vec<OsString>,
    pub(super) space: Space,
    /// Bytes of the whole file.
    pub(super) length: u64,
    /// Whether it replaces an existing file.
    pub(super) replace: bool,
    /// Seconds and nanoseconds since 1970 when the client's file was last changed.
    pub(super) modified: Option<(i64, i64)>,
    pub(super) metadata: String,
    /// Its part in a concatenation.
    #[serde(default)]
    pub(super) concat: Option<Concat>,
    /// The boot in which it was begun; `None` in records of versions that did not note the durable length.
    #[serde(default)]
    pub(super) boot: Option<String>,
}

impl Record {
    pub(super) fn new(call: &Call, to: &UploadTarget, length: u64, request: UploadRequest) -> Self {
        let UploadRequest { announced, metadata, concat, .. } = request;
        Self {
            user: call.member.actor.id,
            names: to.location.names.clone(),
            space: to.location.space.clone(),
            length,
            replace: call.query.r#override,
            modified: announced.modified.or(metadata.modified).map(|at| (at.tv_sec, at.tv_nsec)),
            metadata: metadata.text,
            concat,
            boot: Some(call.host.uploads.boot().id().unwrap_or_default().to_owned()),
        }
    }

    pub(super) fn is_part(&self) -> bool {
        self.concat == Some(Concat::Partial)
    }

    pub(super) fn is_for(&self, location: &Location) -> bool {
        self.names == location.names
    }

    pub(super) fn modified(&self) -> Option<Timespec> {
        self.modified.map(|(tv_sec, tv_nsec)| Timespec { tv_sec, tv_nsec })
    }

    /// Durable when this returns, except for the name.
    pub(super) fn write(&self, folder: &OwnedFd, id: &str) -> DiskResult<()> {
        let text = serde_json::to_vec(self).map_err(DiskError::internal)?;
        let mut file = create(folder, &record_name(id), PRIVATE)?;
        file.write_all(&text)?;
        Ok(file.sync_all()?)
    }

    /// `None` when it is damaged, as after a crash during the write.
    pub(super) fn read(jail: &Jail, folder: &OwnedFd, id: &str) -> DiskResult<Option<Self>> {
        let text = read(jail, folder, &record_name(id))?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }
}

/// The id that a record of this name is of.
pub(super) fn id_of_record(name: &str) -> Option<&str> {
    name.strip_suffix(".json")
}

/// The id of the upload that a file of this name belongs to, if it outlasts a restart.
pub(super) fn id_of(name: &str) -> &str {
    id_of_record(name).or_else(|| name.strip_suffix(".received")).unwrap_or(name)
}

fn record_name(id: &str) -> String {
    format!("{id}.json")
}

pub(super) fn progress_name(id: &str) -> String {
    format!("{id}.received")
}

fn check_name(id: &str) -> String {
    format!("{id}.check")
}

/// The file for the received bytes.
pub(super) fn create(folder: &OwnedFd, name: &str, mode: Mode) -> Result<File, Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, mode)?.into())
}

/// Opens a regular file in an area. Fails for other kinds, which a process with write access to the area may have
/// put there.
pub(super) fn open(jail: &Jail, folder: &OwnedFd, name: &str, access: OFlags) -> Result<File, Errno> {
    let handle = openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    match Meta::of(&handle)?.kind {
        Kind::File => jail.reopen(&handle, access),
        _ => Err(Errno::NOENT),
    }
}

fn read(jail: &Jail, folder: &OwnedFd, name: &str) -> DiskResult<Option<Vec<u8>>> {
    let file = match open(jail, folder, name, OFlags::RDONLY) {
        Err(Errno::NOENT) => return Ok(None),
        other => other?,
    };
    let mut text = Vec::new();
    file.take(MAX_RECORD_BYTES).read_to_end(&mut text)?;
    Ok(Some(text))
}

/// From here on nothing counts until [`accept`]. Not synced: it is for a killed process, and holds for this boot only.
pub(super) fn doubt(folder: &OwnedFd, id: &str, from: u64, boot: &Boot) -> DiskResult<()> {
    let mut file = create(folder, &check_name(id), PRIVATE)?;
    Ok(file.write_all(format!("{from} {}", boot.id().unwrap_or_default()).as_bytes())?)
}

/// Marks the bytes received since [`doubt`] as correct.
pub(super) fn accept(folder: &OwnedFd, id: &str) -> Result<(), Errno> {
    unlink(folder, &check_name(id))
}

/// Cuts off bytes that were never verified. After a power cut the recorded length decides, and a mark of the previous
/// boot may have outlasted its removal.
pub(super) fn drop_doubtful(jail: &Jail, folder: &OwnedFd, id: &str, boot: &Boot) -> DiskResult<()> {
    let Some(text) = read(jail, folder, &check_name(id))? else { return Ok(()) };
    let text = String::from_utf8_lossy(&text);
    let (from, of_boot) = text.split_once(' ').map_or((&*text, true), |(from, id)| (from, boot.is(id)));
    // Not even the mark was written: no byte of the piece had arrived.
    if let Some(from) = from.parse().ok().filter(|_| of_boot) {
        let file = open(jail, folder, id, OFlags::RDWR)?;
        if Meta::of(&file)?.size > from {
            ftruncate(&file, from)?;
        }
    }
    Ok(accept(folder, id)?)
}

/// Removes an upload from the disk; missing files are ignored.
pub(super) fn remove(folder: &OwnedFd, id: &str) -> Result<(), Errno> {
    unlink(folder, id)?;
    unlink(folder, &check_name(id))?;
    unlink(folder, &progress_name(id))?;
    unlink(folder, &record_name(id))
}

fn unlink(folder: &OwnedFd, name: &str) -> Result<(), Errno> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}
