//! Dead properties (RFC 4918 §4.1). An extended attribute of the file or folder holds them, so they
//! survive a move by any program, containers included. A file system without attributes refuses
//! `PROPPATCH`.

use std::ffi::OsStr;

use dav_server::fs::DavProp;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Entry, Location, VirtualPath, attribute, set_attribute};
use disk_core::reason::Reason;
use disk_core::view::Place;
use http::StatusCode;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Timestamps, utimensat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::files::Files;
use super::request::has_few_tags;
use super::{checksum, times};
use crate::permissions::require;

/// The attribute that holds all properties of a file.
const ATTRIBUTE: &str = "user.yunlab.dav";

/// A stored property.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    name: String,
    namespace: Option<String>,
    prefix: Option<String>,
    /// The whole element.
    xml: String,
}

impl Kept {
    fn is(&self, prop: &DavProp) -> bool {
        self.name == prop.name && self.namespace == prop.namespace
    }

    fn new(prop: &DavProp) -> Option<Self> {
        let xml = String::from_utf8(prop.xml.clone()?).ok()?;
        Some(Self { name: prop.name.clone(), namespace: prop.namespace.clone(), prefix: prop.prefix.clone(), xml })
    }
}

/// All of them.
pub(super) fn all(files: &Files, path: &VirtualPath, with_content: bool) -> DiskResult<Vec<DavProp>> {
    let Some(entry) = entry(files, path)? else { return Ok(Vec::new()) };
    let kept = read(&entry)?.into_iter();
    Ok(kept
        .map(|kept| DavProp {
            name: kept.name,
            prefix: kept.prefix,
            namespace: kept.namespace,
            xml: with_content.then(|| kept.xml.into_bytes()),
        })
        .collect())
}

/// The XML of one property.
pub(super) fn one(files: &Files, path: &VirtualPath, wanted: &DavProp) -> DiskResult<Vec<u8>> {
    let entry = entry(files, path)?.ok_or(DiskError::NotFound)?;
    if checksum::is_checksums(wanted) {
        return checksum::property(&entry);
    }
    let kept = read(&entry)?.into_iter().find(|kept| kept.is(wanted)).ok_or(DiskError::NotFound)?;
    Ok(kept.xml.into_bytes())
}

/// Sets (true) and removes (false), all or nothing.
pub(super) fn patch(
    files: &Files,
    path: &VirtualPath,
    patch: Vec<(bool, DavProp)>,
) -> DiskResult<Vec<(StatusCode, DavProp)>> {
    require(files.member.may.modify)?;
    files.member.view.writable(path)?;
    let entry = entry(files, path)?.ok_or(DiskError::Forbidden)?;
    let (times, patch): (Vec<_>, Vec<_>) = patch.into_iter().partition(|(_, prop)| times::restore(prop).is_some());
    let mut answers = set_times(&entry, &times)?;
    // Checksums are computed at upload; setting one is accepted and ignored, as ownCloud does.
    let (checksums, patch): (Vec<_>, Vec<_>) = patch.into_iter().partition(|(_, prop)| checksum::is_checksums(prop));
    answers.extend(checksums.into_iter().map(|(_, prop)| (StatusCode::OK, without_content(prop))));
    if patch.is_empty() || answers.iter().any(|(status, _)| *status != StatusCode::OK) {
        answers.extend(patch.into_iter().map(|(_, prop)| (StatusCode::FAILED_DEPENDENCY, without_content(prop))));
        return Ok(answers);
    }
    let mut kept = read(&entry)?;
    for (set, prop) in &patch {
        kept.retain(|kept| !kept.is(prop));
        if *set {
            kept.push(Kept::new(prop).ok_or_else(|| DiskError::bad_request(Reason::NotUtf8))?);
        }
    }
    let status = match write(&entry.folder, &entry.name, &kept) {
        Ok(()) => StatusCode::OK,
        Err(Errno::NOSPC | Errno::TOOBIG | Errno::DQUOT | Errno::RANGE) => StatusCode::INSUFFICIENT_STORAGE,
        Err(Errno::NOTSUP) => StatusCode::FORBIDDEN,
        Err(other) => return Err(other.into()),
    };
    answers.extend(patch.into_iter().map(|(_, prop)| (status, without_content(prop))));
    Ok(answers)
}

fn without_content(prop: DavProp) -> DavProp {
    DavProp { xml: None, ..prop }
}

/// Applies the modification times among the properties; the last one wins.
fn set_times(entry: &Entry, patch: &[(bool, DavProp)]) -> DiskResult<Vec<(StatusCode, DavProp)>> {
    let named = |status| patch.iter().filter_map(move |(_, prop)| Some((status, times::restore(prop)?))).collect();
    let Some((_, last)) = patch.last() else { return Ok(Vec::new()) };
    let Some(at) = times::time_in(last) else { return Ok(named(StatusCode::CONFLICT)) };
    let checksum = checksum::kept(entry)?;
    let times = Timestamps { last_access: at, last_modification: at };
    utimensat(&entry.folder, entry.name.as_os_str(), &times, AtFlags::SYMLINK_NOFOLLOW)?;
    if let (Some(checksum), Some(meta)) = (checksum, entry.meta()?) {
        // The content is unchanged, so the checksum stays valid.
        checksum::keep(checksum, &entry.folder, &entry.name, &meta);
    }
    Ok(named(StatusCode::OK))
}

/// The properties of a file that is about to be replaced stay with its name.
pub(super) fn keep(from: &Entry, folder: &OwnedFd, name: &OsStr) -> DiskResult<()> {
    match read(from) {
        Ok(kept) if !kept.is_empty() => ignore_unsupported(write(folder, name, &kept)),
        Ok(_) | Err(DiskError::NotFound) => Ok(()),
        Err(other) => Err(other),
    }
}

/// A copy gets the properties of its source; for a folder only the folder's own.
pub(super) fn carry(files: &Files, from: &Location, to: &Location) -> DiskResult<()> {
    let (from, to) = (files.jail().entry(from)?, files.jail().entry(to)?);
    let kept = read(&from)?;
    if kept.is_empty() { Ok(()) } else { ignore_unsupported(write(&to.folder, &to.name, &kept)) }
}

/// Failing to store properties must not fail the content.
fn ignore_unsupported(written: Result<(), Errno>) -> DiskResult<()> {
    match written {
        Err(Errno::NOTSUP | Errno::NOSPC | Errno::DQUOT | Errno::TOOBIG | Errno::RANGE | Errno::PERM) => Ok(()),
        other => Ok(other?),
    }
}

/// The entry at a path, if it can have properties: virtual folders and the spaces have none.
fn entry(files: &Files, path: &VirtualPath) -> DiskResult<Option<Entry>> {
    match files.member.view.place(path) {
        Place::At(location) if !location.fixed => Ok(Some(files.jail().target(&location)?.0)),
        _ => Ok(None),
    }
}

/// Programs in containers can write attributes too, so the content is validated.
fn read(entry: &Entry) -> DiskResult<Vec<Kept>> {
    let text = match attribute(&entry.folder, &entry.name, ATTRIBUTE) {
        Ok(text) => text,
        // PERM: a link or something special.
        Err(Errno::NODATA | Errno::NOTSUP | Errno::PERM) => return Ok(Vec::new()),
        Err(other) => return Err(other.into()),
    };
    let kept: Vec<Kept> = serde_json::from_slice(&text).unwrap_or_default();
    Ok(kept.into_iter().filter(|kept| has_few_tags(kept.xml.as_bytes())).collect())
}

fn write(folder: &OwnedFd, name: &OsStr, kept: &[Kept]) -> Result<(), Errno> {
    let text = serde_json::to_vec(kept).unwrap_or_default();
    set_attribute(folder, name, ATTRIBUTE, &text)
}
