//! Incoming content of a file: written to a hidden place first, then renamed to its destination. Until then nothing of
//! it is visible, and if it fails nothing is left.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, header};
use http_kit::BodyFault;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, Timespec, Timestamps, fchmod, fstatvfs, fsync, futimens};
use tokio::task::JoinHandle;

use crate::blocking::blocking;
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Validators, body_fault, drain, drain_rest};
use crate::jail::{Entry, Location, Meta, own_like_folder};
use crate::reason::Reason;
use crate::staging::{Temporary, TemporaryFile};
use crate::transfer::{Clash, Origin, place};
use crate::usage::{Allowance, Reservation};

/// Written at once: large enough that the hop to a blocking thread costs next to nothing.
const BATCH_BYTES: usize = 1024 * 1024;

/// What the request announces about the content.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Announced {
    pub(crate) length: Option<u64>,
    pub(crate) modified: Option<Timespec>,
}

impl Announced {
    pub(crate) fn read(headers: &HeaderMap) -> DiskResult<Self> {
        // `u64::from_str` accepts a leading plus sign, HTTP does not.
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |value: &http::HeaderValue| value.to_str().ok().filter(digits)?.parse::<u64>().ok();
        let length = match headers.get(header::CONTENT_LENGTH) {
            Some(value) => Some(number(value).ok_or_else(|| DiskError::bad_request(Reason::LengthMalformed))?),
            None => None,
        };
        let modified = match headers.get("x-modified") {
            Some(value) => Some(seconds(value).ok_or_else(|| DiskError::bad_request(Reason::ModifiedMalformed))?),
            None => None,
        };
        Ok(Self { length, modified })
    }

    /// The same for a body that was converted.
    pub(super) fn with_length(self, length: u64) -> Self {
        Self { length: Some(length), ..self }
    }
}

/// Seconds since 1970 with an optional fraction, in a range that all file systems keep.
pub(crate) fn seconds(value: &http::HeaderValue) -> Option<Timespec> {
    let text = value.to_str().ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = |digits: &str| !digits.is_empty() && digits.len() <= 11 && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let tv_sec = whole.parse::<i64>().ok().filter(|seconds| *seconds < 1 << 34)?;
    let nanos: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    Some(Timespec { tv_sec, tv_nsec: nanos.parse().ok()? })
}

/// Properties of any announcement, for tests and for the fuzz target: the first line is a length, the second a time.
///
/// # Panics
/// When a value is misread.
#[cfg(any(test, feature = "fuzzing"))]
pub fn check_upload_length(text: &str) {
    let (length, modified) = text.split_once('\n').unwrap_or((text, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in [("content-length", length), ("x-modified", modified)] {
        if let Ok(value) = http::HeaderValue::from_str(value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
    }
    let Ok(announced) = Announced::read(&headers) else { return };
    if let Some(number) = announced.length {
        assert_eq!(format!("{number:0>width$}", width = length.len()), length, "{text:?}");
    }
    if let Some(at) = announced.modified {
        assert!((0..1 << 34).contains(&at.tv_sec) && (0..1_000_000_000).contains(&at.tv_nsec), "{text:?}");
    }
}

/// Receives a body. Called on blocking threads, one batch after the other.
pub(crate) trait Intake: Send + 'static {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()>;
}

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last byte.
    Whole,
    /// Too early.
    Broken(BodyFault),
    /// The body exceeds the announced length; the bytes before that were received.
    TooMuch,
}

/// A file being received.
pub(crate) struct Incoming {
    staged: TemporaryFile,
    room: Reservation,
    /// Offset of the next write.
    at: u64,
}

impl Incoming {
    /// Copies an existing file's content in; later writes append. Returns its size in bytes.
    pub(crate) fn begin_with(&mut self, mut content: &File) -> DiskResult<u64> {
        let size = Meta::of(content)?.size;
        self.room.grow_to(size)?;
        // `copy_file_range`: in the kernel, by reflink where supported.
        self.at = io::copy(&mut content, &mut self.staged.file)?;
        Ok(self.at)
    }

    /// Seeks to this offset.
    pub(crate) fn go_to(&mut self, at: u64) -> DiskResult<()> {
        self.at = self.staged.file.seek(SeekFrom::Start(at))?;
        Ok(())
    }
}

impl Intake for Incoming {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()> {
        let more: usize = batch.iter().map(Bytes::len).sum();
        let end = self.at.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        self.room.grow_to(end)?;
        for chunk in batch {
            self.staged.file.write_all(chunk)?;
        }
        self.at = end;
        Ok(())
    }
}

/// A file that arrived whole and is durable, without a place yet.
pub(crate) struct Received {
    staged: Temporary,
    file: File,
    room: Reservation,
}

impl Received {
    /// Puts the file into its place with `put`, and settles the reserved space.
    pub(crate) fn store(self, put: impl FnOnce(&Staged<'_>) -> DiskResult<Stored>) -> DiskResult<Validators> {
        let Temporary { area, name } = &self.staged;
        let stored = put(&Staged { folder: &area.uploads, name, file: &self.file })?;
        self.room.settle(stored.used, stored.freed);
        Ok(stored.validators)
    }
}

/// A whole file on the mount where it belongs, ready to be renamed into place.
pub(crate) struct Staged<'a> {
    pub(crate) folder: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
    pub(crate) file: &'a File,
}

/// A file that is in its place.
pub(crate) struct Stored {
    pub(crate) validators: Validators,
    /// Bytes that it takes.
    pub(crate) used: u64,
    /// Bytes freed by replacing the former file.
    pub(crate) freed: u64,
}

/// The destination of an upload and its limits.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) location: Location,
    pub(crate) allowance: Allowance,
}

/// Receives the body and puts the file into its place. Nothing is left of it when this fails or is dropped.
pub(crate) async fn receive<F>(
    host: &Host,
    to: &Destination,
    announced: Announced,
    headers: &HeaderMap,
    body: Body,
    put: F,
) -> DiskResult<Validators>
where
    F: FnOnce(&Staged<'_>) -> DiskResult<Stored> + Send + 'static,
{
    let (opening, to) = (host.clone(), to.clone());
    let incoming = match blocking(move || open(&opening, &to, announced)).await {
        Ok(incoming) => incoming,
        Err(refused) => {
            drain(headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let mut body = body.into_data_stream();
    let (mut incoming, last, end) = match stream(incoming, announced.length, &mut body).await {
        Ok(taken) => taken,
        // Refused, for lack of space for example, while the client still sends.
        Err(refused) => {
            drain_rest(body, usize::MAX).await;
            return Err(refused);
        }
    };
    match end {
        End::Whole => {}
        End::Broken(fault) => return Err(body_fault(fault)),
        End::TooMuch => return Err(DiskError::TooLarge),
    }
    // In one step: for a small file changing threads costs more than the disk.
    blocking(move || {
        incoming.write(&last)?;
        if announced.length.is_some_and(|length| length != incoming.at) {
            return Err(DiskError::bad_request(Reason::BodyShort));
        }
        finish(incoming, announced.modified)?.store(put)
    })
    .await
}

/// Begins to receive.
pub(crate) fn open(host: &Host, to: &Destination, announced: Announced) -> DiskResult<Incoming> {
    let wanted = announced.length.unwrap_or(0);
    // The folder may have to be made; that happens only when there is something to put into it.
    let (folder, _) = host.jail.nearest(&to.location.parent())?;
    if wanted > free_bytes(&folder.handle)? {
        return Err(DiskError::InsufficientStorage(Reason::DiskFull));
    }
    let room = host.ledger.reserve(&to.location.space, &to.allowance, wanted)?;
    let area = host.staging.area(&host.jail, &folder.handle, &folder.names)?;
    let staged = TemporaryFile::create(area)?;
    own_like_folder(&folder.handle, &staged.file)?;
    Ok(Incoming { staged, room, at: 0 })
}

/// Free space of the file system.
pub(crate) fn free_bytes(folder: impl AsFd) -> DiskResult<u64> {
    Ok(fstatvfs(folder).map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))?)
}

/// Receives a body, at most `limit` bytes. Reads the next batch while the last one is being written. The final batch,
/// also before an error, is left for the caller to write.
pub(crate) async fn stream<I: Intake>(
    intake: I,
    limit: Option<u64>,
    mut body: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin,
) -> DiskResult<(I, Vec<Bytes>, End)> {
    let mut idle = Some(intake);
    let mut writing: Option<JoinHandle<DiskResult<I>>> = None;
    let (mut batch, mut batched, mut total) = (Vec::new(), 0_usize, 0_u64);
    loop {
        let end = match body.next().await {
            Some(Ok(chunk)) => {
                total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                if limit.is_some_and(|limit| total > limit) {
                    Some(End::TooMuch)
                } else {
                    batched += chunk.len();
                    batch.push(chunk);
                    None
                }
            }
            Some(Err(error)) => Some(End::Broken(BodyFault::of(&error))),
            None => Some(End::Whole),
        };
        if batched < BATCH_BYTES && end.is_none() {
            continue;
        }
        let intake = match (idle.take(), writing.take()) {
            (Some(intake), _) => intake,
            (None, Some(writing)) => writing.await.map_err(DiskError::internal)??,
            (None, None) => return Err(DiskError::internal(anyhow::anyhow!("an upload lost its file"))),
        };
        let full = std::mem::take(&mut batch);
        batched = 0;
        if let Some(end) = end {
            return Ok((intake, full, end));
        }
        writing = Some(tokio::task::spawn_blocking(move || write(intake, &full)));
    }
}

fn write<I: Intake>(mut intake: I, batch: &[Bytes]) -> DiskResult<I> {
    intake.write(batch)?;
    Ok(intake)
}

/// Ends receiving: sets the time and makes the content durable.
pub(crate) fn finish(incoming: Incoming, modified: Option<Timespec>) -> DiskResult<Received> {
    let TemporaryFile { file, place } = incoming.staged;
    if let Some(modified) = modified {
        futimens(&file, &Timestamps { last_access: modified, last_modification: modified })?;
    }
    fsync(&file)?;
    Ok(Received { staged: place, file, room: incoming.room })
}

/// Puts a complete file into its place. `check` sees the present entry, and only programs beside the disk can act
/// between the check and the rename.
pub(crate) fn put(
    host: &Host,
    staged: &Staged<'_>,
    entry: &Entry,
    clash: Clash,
    check: impl FnOnce(Option<&Meta>) -> DiskResult<()>,
) -> DiskResult<Stored> {
    let folder = Meta::of(&entry.folder)?;
    let _alone = host.locks.hold(folder.inode, &entry.name);
    let there = entry.meta()?;
    check(there.as_ref())?;
    let replaced = there.filter(|_| clash == Clash::Replace);
    if let Some(there) = &replaced {
        // Stays executable. Others get no access, whatever the mode was.
        fchmod(staged.file, Mode::from_raw_mode(there.mode & 0o770 | 0o600))?;
        host.shares.replacing(&entry.names(), there, &Meta::of(staged.file)?);
    }
    let origin = Origin::staged(host.staging.projects());
    let placed = place(origin, staged.folder, staged.name, entry, clash)?;
    let meta = Meta::of(staged.file)?;
    if let Some(was) = replaced {
        host.shares.replaced(&entry.names(), &was, &meta);
    }
    Ok(Stored { validators: Validators::of(&meta), used: meta.used, freed: placed.freed })
}
