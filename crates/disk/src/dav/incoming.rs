//! `PUT`: a file's content on its way in, by the way that all uploads take.

use std::fs::File;
use std::io::SeekFrom;

use bytes::{Buf, Bytes};
use dav_server::fs::{DavFile, DavMetaData, FsError, FsFuture, OpenOptions};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::{self, Announced, Sink};
use disk_core::jail::{Jail, Location, Meta, VirtualPath};
use disk_core::reason::{Reason, Why};
use rustix::fs::Timespec;

use super::checksum::{self, Checksum};
use super::files::Files;
use super::meta::{Facts, fs_error};
use super::properties;
use crate::intake::{Batches, Intake, UploadKind};

/// An upload without a place yet; nothing is left of it if it never gets one.
pub(super) struct Incoming {
    files: Files,
    /// `None` once it is stored, or failed to be.
    arriving: Option<Arriving>,
    size: Option<u64>,
    modified: Option<Timespec>,
    /// For a partial update, the size of the existing file in bytes.
    changes: Option<u64>,
    appends: bool,
    written: u64,
    stored: Option<Facts>,
}

struct Arriving {
    intake: Intake,
    content: Batches<Content>,
}

struct Content {
    file: incoming::Incoming,
    checksum: Option<Checksum>,
}

impl Sink for Content {
    fn write(&mut self, batch: &[Bytes]) -> DiskResult<()> {
        self.file.write(batch)?;
        if let Some(checksum) = &mut self.checksum {
            checksum.update(batch);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Incoming").field("written", &self.written).finish_non_exhaustive()
    }
}

impl Incoming {
    /// Checks everything before the content arrives; it is checked again when the file is stored.
    pub(super) async fn open(files: &Files, path: &VirtualPath, options: &OpenOptions) -> DiskResult<Self> {
        let is_part = files.visit.is("PATCH");
        let conditions = files.visit.conditions.clone();
        let kind = UploadKind::Dav { create: options.create, create_new: options.create_new, conditions };
        let mut intake = Intake::admit(&files.host, &files.member, path, kind).await?;
        let (files, options, modified) = (files.clone(), options.clone(), files.visit.modified);
        blocking(move || {
            let mut file = intake.open(Announced { length: options.size, modified })?;
            let mut changes = None;
            if is_part {
                let content = content(files.jail(), &intake.target().location)?;
                intake.replace_only(&Meta::of(&content)?);
                changes = Some(file.begin_with(&content)?);
            }
            let checksum = options.checksum.as_deref().filter(|_| changes.is_none()).and_then(Checksum::read);
            Ok(Self {
                files,
                arriving: Some(Arriving { intake, content: Batches::new(Content { file, checksum }) }),
                size: options.size,
                modified,
                changes,
                appends: options.append,
                written: 0,
                stored: None,
            })
        })
        .await
    }

    async fn take(&mut self, chunk: Bytes) -> DiskResult<()> {
        self.written += u64::try_from(chunk.len()).unwrap_or_default();
        let Arriving { content, .. } = self.arriving.as_mut().ok_or_else(over)?;
        content.push(chunk).await
    }

    /// Puts it into its place.
    pub(super) async fn store(&mut self) -> DiskResult<()> {
        let Arriving { intake, content } = self.arriving.take().ok_or_else(over)?;
        let (mut content, last) = content.end().await?;
        let (is_whole, modified) = (self.size.is_none_or(|size| size == self.written), self.modified);
        let facts = blocking(move || {
            content.write(&last)?;
            if !is_whole {
                return Err(DiskError::bad_request(Reason::WrongLength));
            }
            let Content { file, checksum } = content;
            let checksum = checksum.map(Checksum::verify).transpose()?;
            let meta = file.complete(modified, |staged| {
                intake.place(staged, |entry| {
                    properties::keep(entry, staged.folder, staged.name)?;
                    if let Some(checksum) = checksum {
                        checksum::keep(checksum, staged.folder, staged.name, &Meta::of(staged.file)?);
                    }
                    Ok(())
                })
            })?;
            Ok(Facts::of(&meta))
        });
        self.stored = Some(facts.await?);
        Ok(())
    }
}

/// Opens the existing file.
fn content(jail: &Jail, location: &Location) -> DiskResult<File> {
    jail.read_file(&jail.find(location)?)
}

fn over() -> DiskError {
    DiskError::internal(anyhow::anyhow!("an upload goes on after its end"))
}

impl DavFile for Incoming {
    fn metadata(&'_ mut self) -> FsFuture<'_, Box<dyn DavMetaData>> {
        let facts = self.stored.clone().ok_or(FsError::NotImplemented);
        Box::pin(std::future::ready(facts.map(|facts| Box::new(facts) as Box<dyn DavMetaData>)))
    }

    fn write_buf(&'_ mut self, mut buf: Box<dyn Buf + Send>) -> FsFuture<'_, ()> {
        let bytes = buf.copy_to_bytes(buf.remaining());
        self.write_bytes(bytes)
    }

    fn write_bytes(&'_ mut self, buf: Bytes) -> FsFuture<'_, ()> {
        Box::pin(async move { self.take(buf).await.map_err(fs_error) })
    }

    fn read_bytes(&'_ mut self, _count: usize) -> FsFuture<'_, Bytes> {
        Box::pin(std::future::ready(Err(FsError::NotImplemented)))
    }

    /// Positions a partial update; appends start at the end.
    fn seek(&'_ mut self, pos: SeekFrom) -> FsFuture<'_, u64> {
        let content = self.arriving.as_mut().and_then(|arriving| arriving.content.idle());
        let at = match (pos, self.changes, content) {
            (_, Some(size), Some(_)) if self.appends => Ok(size),
            (SeekFrom::Start(at), Some(size), Some(content)) if at <= size => {
                content.file.go_to(at).map(|()| at).map_err(fs_error)
            }
            _ => Err(FsError::NotImplemented),
        };
        Box::pin(std::future::ready(at))
    }

    fn flush(&'_ mut self) -> FsFuture<'_, ()> {
        Box::pin(async move {
            self.store().await.map_err(|error| match error {
                DiskError::BadRequest(_) | DiskError::Locked | DiskError::PreconditionFailed => {
                    self.files.refuse(error);
                    FsError::Forbidden
                }
                // Made while the content came in, against `If-None-Match`.
                DiskError::Conflict(Why { reason: Reason::Exists, .. }) => {
                    self.files.refuse(DiskError::PreconditionFailed);
                    FsError::Exists
                }
                other => fs_error(other),
            })
        })
    }
}
