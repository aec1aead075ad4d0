//! A piece on its way in.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Sink;
use disk_core::jail::Meta;
use disk_core::usage::Ledger;
use futures_util::StreamExt;
use http_kit::BodyFault;
use rustix::fs::{OFlags, fdatasync, ftruncate};
use tokio::sync::OwnedMutexGuard;

use super::checksum::Checksum;
use super::progress;
use super::record;
use super::upload::{Turn, Upload};
use super::uploads::touch;
use crate::host::Host;
use crate::http::{body_fault, drain_rest};
use crate::intake::{End, stream};

/// A turn at an upload, with everything needed to use it.
pub(super) struct Arrival {
    pub(super) host: Host,
    pub(super) upload: Arc<Upload>,
    pub(super) turn: OwnedMutexGuard<Turn>,
    pub(super) checksum: Option<Checksum>,
}

struct Piece {
    file: Arc<File>,
    checksum: Option<Checksum>,
    /// Where the database needs room beside it.
    beside_database: Option<Arc<Ledger>>,
}

impl Sink for Piece {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()> {
        if let Some(ledger) = self.beside_database.as_ref().filter(|_| !batch.is_empty()) {
            ledger.check_margin()?;
        }
        for chunk in batch {
            (&*self.file).write_all(chunk)?;
            if let Some(checksum) = &mut self.checksum {
                checksum.update(chunk);
            }
        }
        Ok(())
    }
}

impl Arrival {
    /// Receives the piece and returns the turn. Bytes that count as received are durable when this returns; for an
    /// interrupted piece these are the received ones, unless it has a digest, which makes it all or nothing.
    pub(super) async fn take_in(self, body: Body) -> DiskResult<OwnedMutexGuard<Turn>> {
        let Self { host, upload, turn, checksum } = self;
        let checked = checksum.is_some();
        let (opening, at) = (host.clone(), Arc::clone(&upload));
        let (file, beside_database) = blocking(move || {
            let beside_database = opening.files.ledger.is_beside_database(&at.record.space);
            Ok((open(&opening, &at, checked)?, beside_database.then(|| Arc::clone(&opening.files.ledger))))
        })
        .await?;
        let stop = upload.stop();
        let mut body = body.into_data_stream().take_until(Box::pin(stop.clone().cancelled_owned()));
        let piece = Piece { file: Arc::clone(&file), checksum, beside_database };
        let taken = stream(piece, Some(upload.missing()), &mut body).await;
        let refused = taken.is_err();
        let settled = blocking(move || {
            let verdict = match taken {
                Ok((mut piece, last, end)) => {
                    let end = if stop.is_cancelled() { End::Broken(BodyFault::Broken) } else { end };
                    piece.write(&last).and_then(|()| judge(piece, end))
                }
                Err(error) => Err(error),
            };
            settle(&host, &upload, &file, checked, verdict.is_err())?;
            verdict.map(|()| turn)
        })
        .await;
        if refused {
            // Refused, for lack of space for example, while the client still sends.
            drain_rest(body, usize::MAX).await;
        }
        settled
    }
}

fn open(host: &Host, upload: &Upload, checked: bool) -> DiskResult<Arc<File>> {
    let folder = &upload.area.tus;
    // An earlier piece may have failed so badly that this was left undone.
    record::drop_doubtful(&host.files.jail, folder, &upload.id, host.uploads.boot())?;
    let mut file = record::open(&host.files.jail, folder, &upload.id, OFlags::RDWR)?;
    let from = upload.received();
    match Meta::of(&file)?.size {
        size if size > from => ftruncate(&file, from)?,
        size if size < from => return Err(DiskError::NotFound),
        _ => {}
    }
    if checked {
        record::doubt(folder, &upload.id, from, host.uploads.boot())?;
    }
    file.seek(SeekFrom::Start(from))?;
    Ok(Arc::new(file))
}

fn judge(piece: Piece, end: End) -> DiskResult<()> {
    match end {
        End::Broken(fault) => Err(body_fault(fault)),
        End::TooMuch => Err(DiskError::TooLarge),
        End::Whole if piece.checksum.is_some_and(|checksum| !checksum.matches()) => Err(DiskError::ChecksumMismatch),
        End::Whole => Ok(()),
    }
}

/// Counts the file's bytes as received, unless a digest (`checked`) did not match.
fn settle(host: &Host, upload: &Upload, file: &File, checked: bool, refused: bool) -> DiskResult<()> {
    if checked && refused {
        ftruncate(file, upload.received())?;
    }
    let now = host.clock.now();
    touch(file, now)?;
    fdatasync(file)?;
    let (folder, id, received) = (&upload.area.tus, &upload.id, Meta::of(file)?.size);
    if checked {
        record::accept(folder, id)?;
    }
    // A whole file gets its place next, before anything is answered.
    if received != upload.received() && (received < upload.record.length || upload.record.is_part()) {
        progress::note(&host.files.jail, folder, id, host.uploads.boot(), received)?;
    }
    upload.advance(received, now);
    Ok(())
}
