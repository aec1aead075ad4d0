//! A file's content on its way in: into a nameless place first, then by one rename to where it
//! belongs. Until then nothing of it is visible, and if it never gets there nothing stays.

use std::fs::File;
use std::io::Write;

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, header};
use rustix::fs::{Mode, Timespec, Timestamps, fchmod, fstatvfs, fsync, futimens};
use tokio::task::JoinHandle;

use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Validators, blocking};
use crate::jail::{Entry, Location, Meta, own_like_folder};
use crate::staging::{Temporary, TemporaryFile};
use crate::transfer::{Clash, place};
use crate::usage::Reservation;

/// Written at once: large enough that the hop to a blocking thread costs next to nothing.
const BATCH_BYTES: usize = 1024 * 1024;
/// What the request says beside the content.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Announced {
    length: Option<u64>,
    modified: Option<Timespec>,
}

impl Announced {
    pub(super) fn read(headers: &HeaderMap) -> DiskResult<Self> {
        let number = |value: &http::HeaderValue| value.to_str().ok()?.parse::<u64>().ok();
        let length = match headers.get(header::CONTENT_LENGTH) {
            Some(value) => Some(number(value).ok_or_else(|| DiskError::bad_request("malformed Content-Length"))?),
            None => None,
        };
        let modified = match headers.get("x-modified") {
            Some(value) => Some(seconds(value).ok_or_else(|| DiskError::bad_request("malformed X-Modified"))?),
            None => None,
        };
        Ok(Self { length, modified })
    }
}

/// Seconds since 1970 with an optional fraction, in a range that all file systems keep.
fn seconds(value: &http::HeaderValue) -> Option<Timespec> {
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

/// A file being received.
struct Incoming {
    staged: TemporaryFile,
    room: Reservation,
    written: u64,
}

impl Incoming {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()> {
        let more: usize = batch.iter().map(Bytes::len).sum();
        let size = self.written.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        self.room.grow_to(size)?;
        for chunk in batch {
            self.staged.file.write_all(chunk)?;
        }
        self.written = size;
        Ok(())
    }
}

/// A file that arrived whole and is durable, without a place yet.
pub(super) struct Received {
    staged: Temporary,
    file: File,
    room: Reservation,
}

/// Where an upload goes and what it may take.
#[derive(Clone)]
pub(super) struct Destination {
    pub(super) location: Location,
    pub(super) quota: u64,
}

/// Takes the body in. Nothing is left of it when this fails or is given up.
pub(super) async fn receive(host: &Host, to: &Destination, announced: Announced, body: Body) -> DiskResult<Received> {
    let (opening, to) = (host.clone(), to.clone());
    let incoming = blocking(move || open(&opening, &to, announced)).await?;
    let incoming = stream(incoming, announced.length, body.into_data_stream()).await?;
    if announced.length.is_some_and(|length| length != incoming.written) {
        return Err(DiskError::bad_request("the body is shorter than announced"));
    }
    blocking(move || finish(incoming, announced)).await
}

fn open(host: &Host, to: &Destination, announced: Announced) -> DiskResult<Incoming> {
    let wanted = announced.length.unwrap_or(0);
    // The folder may have to be made; that happens only when there is something to put into it.
    let (folder, _) = host.jail.nearest(&to.location.parent())?;
    let free = fstatvfs(&folder.handle).map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))?;
    if wanted > free {
        return Err(DiskError::InsufficientStorage("disk full"));
    }
    let room = host.ledger.reserve(&to.location.space, to.quota, wanted)?;
    let area = host.staging.area(&host.jail, &folder.handle, &folder.names)?;
    let staged = TemporaryFile::create(area)?;
    own_like_folder(&folder.handle, &staged.file)?;
    Ok(Incoming { staged, room, written: 0 })
}

/// Reads the next batch while the last one is being written.
async fn stream(incoming: Incoming, length: Option<u64>, mut body: BodyDataStream) -> DiskResult<Incoming> {
    let mut idle = Some(incoming);
    let mut writing: Option<JoinHandle<DiskResult<Incoming>>> = None;
    let (mut batch, mut batched, mut total) = (Vec::new(), 0_usize, 0_u64);
    loop {
        let chunk = match body.next().await {
            Some(Ok(chunk)) => Some(chunk),
            // The connection broke, or the body is malformed or shorter than announced.
            Some(Err(_)) => return Err(DiskError::bad_request("the body ended early")),
            None => None,
        };
        let ended = chunk.is_none();
        if let Some(chunk) = chunk {
            batched += chunk.len();
            total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            if length.is_some_and(|length| total > length) {
                return Err(DiskError::TooLarge);
            }
            batch.push(chunk);
        }
        if batched < BATCH_BYTES && !ended {
            continue;
        }
        let mut incoming = match (idle.take(), writing.take()) {
            (Some(incoming), _) => incoming,
            (None, Some(writing)) => writing.await.map_err(DiskError::internal)??,
            (None, None) => return Err(DiskError::internal(anyhow::anyhow!("an upload lost its file"))),
        };
        let full = std::mem::take(&mut batch);
        batched = 0;
        if ended {
            return blocking(move || incoming.write(&full).map(|()| incoming)).await;
        }
        writing = Some(tokio::task::spawn_blocking(move || incoming.write(&full).map(|()| incoming)));
    }
}

fn finish(incoming: Incoming, announced: Announced) -> DiskResult<Received> {
    let TemporaryFile { file, place } = incoming.staged;
    if let Some(modified) = announced.modified {
        futimens(&file, &Timestamps { last_access: modified, last_modification: modified })?;
    }
    fsync(&file)?;
    Ok(Received { staged: place, file, room: incoming.room })
}

/// Puts a received file into its place. `check` sees what is there now, and nothing can come
/// between it and the rename but a program beside the disk.
pub(super) fn put(
    host: &Host,
    received: Received,
    entry: &Entry,
    clash: Clash,
    check: impl FnOnce(Option<&Meta>) -> DiskResult<()>,
) -> DiskResult<Validators> {
    let folder = Meta::of(&entry.folder)?;
    let _alone = host.locks.hold(folder.inode, &entry.name);
    let there = entry.meta()?;
    check(there.as_ref())?;
    if let Some(there) = there.filter(|_| clash == Clash::Replace) {
        // A program stays one. Nobody else gets to read it, whatever was set before.
        fchmod(&received.file, Mode::from_raw_mode(there.mode & 0o770 | 0o600))?;
    }
    let placed = place(&received.staged.area.uploads, &received.staged.name, entry, clash)?;
    let meta = Meta::of(&received.file)?;
    received.room.settle(meta.used, placed.freed);
    Ok(Validators::of(&meta))
}
