//! `PUT`: a file's content on its way in, by the way that all uploads take.

use std::fs::File;
use std::io::SeekFrom;

use bytes::{Buf, Bytes};
use dav_server::fs::{DavFile, DavMetaData, FsError, FsFuture, OpenOptions};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::intake::{self, Announced, Sink, UploadTarget, finish, open, put};
use disk_core::jail::{Jail, Kind, Location, Meta, VirtualPath};
use disk_core::reason::Reason;
use disk_core::transfer::Clash;
use rustix::fs::Timespec;

use super::checksum::{self, Checksum};
use super::files::Files;
use super::meta::{Facts, fs_error};
use super::properties;
use crate::host::Host;
use crate::permissions::{Permissions, require};

/// Written at once.
const BATCH_BYTES: usize = 1024 * 1024;

/// An upload without a place yet; nothing is left of it if it never gets one.
pub(super) struct Incoming {
    files: Files,
    host: Host,
    may: Permissions,
    to: UploadTarget,
    size: Option<u64>,
    modified: Option<Timespec>,
    file: Option<intake::Incoming>,
    checksum: Option<Checksum>,
    /// For a partial update, the size of the existing file in bytes.
    changes: Option<u64>,
    appends: bool,
    batch: Vec<Bytes>,
    batched: usize,
    written: u64,
    stored: Option<Facts>,
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Incoming").field("written", &self.written).finish_non_exhaustive()
    }
}

impl Incoming {
    /// Checks everything before the content arrives; it is checked again when the file is stored.
    pub(super) async fn open(files: &Files, path: &VirtualPath, options: &OpenOptions) -> DiskResult<Self> {
        let (host, member) = (files.host.clone(), &files.member);
        let location = member.view.writable(path)?;
        if location.fixed || path.is_folder() {
            return Err(DiskError::conflict(Reason::FolderThere));
        }
        let allowance = member.allowance(&host, &location.space).await?;
        let to = UploadTarget { location, allowance };
        let (files, may, options, modified) = (files.clone(), member.may, options.clone(), files.visit.modified);
        blocking(move || {
            let (_, there) = host.files.jail.target(&to.location)?;
            if options.create_new && there.is_some() {
                return Err(DiskError::conflict(Reason::Exists));
            }
            if !options.create && there.is_none() {
                return Err(DiskError::NotFound);
            }
            may_take(there.as_ref(), may)?;
            let announced = Announced { length: options.size, modified };
            let mut file = open(&host.files, &to, announced)?;
            let is_part = files.visit.is("PATCH");
            let changes =
                if is_part { Some(file.begin_with(&content(&host.files.jail, &to.location)?)?) } else { None };
            let checksum = options.checksum.as_deref().filter(|_| changes.is_none()).and_then(Checksum::read);
            Ok(Self {
                files,
                host,
                may,
                to,
                size: options.size,
                modified,
                file: Some(file),
                checksum,
                changes,
                appends: options.append,
                batch: Vec::new(),
                batched: 0,
                written: 0,
                stored: None,
            })
        })
        .await
    }

    async fn take(&mut self, chunk: Bytes) -> DiskResult<()> {
        self.batched += chunk.len();
        self.batch.push(chunk);
        if self.batched < BATCH_BYTES { Ok(()) } else { self.write().await }
    }

    async fn write(&mut self) -> DiskResult<()> {
        let mut file = self.file.take().ok_or_else(lost)?;
        let batch = std::mem::take(&mut self.batch);
        let mut checksum = self.checksum.take();
        self.written += u64::try_from(std::mem::take(&mut self.batched)).unwrap_or_default();
        let (file, checksum) = blocking(move || {
            file.write(&batch)?;
            if let Some(checksum) = &mut checksum {
                checksum.update(&batch);
            }
            Ok((file, checksum))
        })
        .await?;
        self.file = Some(file);
        self.checksum = checksum;
        Ok(())
    }

    /// Puts it into its place.
    pub(super) async fn store(&mut self) -> DiskResult<()> {
        self.write().await?;
        if self.size.is_some_and(|size| size != self.written) {
            return Err(DiskError::bad_request(Reason::WrongLength));
        }
        let file = self.file.take().ok_or_else(lost)?;
        let checksum = self.checksum.take().map(Checksum::verify).transpose()?;
        let (host, to, may, modified) = (self.host.clone(), self.to.clone(), self.may, self.modified);
        let facts = blocking(move || {
            let received = finish(file, modified)?;
            let (entry, _) = host.files.jail.target(&to.location)?;
            received.store(|staged| {
                properties::keep(&entry, staged.folder, staged.name)?;
                if let Some(checksum) = checksum {
                    checksum::keep(checksum, staged.folder, staged.name, &Meta::of(staged.file)?);
                }
                put(&host.files, staged, &entry, Clash::Replace, |there| may_take(there, may))
            })?;
            Ok(Facts::of(&entry.meta()?.ok_or(DiskError::NotFound)?))
        });
        self.stored = Some(facts.await?);
        Ok(())
    }
}

/// Opens the existing file.
fn content(jail: &Jail, location: &Location) -> DiskResult<File> {
    jail.read_file(&jail.find(location)?)
}

fn lost() -> DiskError {
    DiskError::internal(anyhow::anyhow!("an upload lost its file"))
}

fn may_take(there: Option<&Meta>, may: Permissions) -> DiskResult<()> {
    match there.map(|there| there.kind) {
        None => require(may.create),
        Some(Kind::File) => require(may.modify),
        Some(Kind::Folder) => Err(DiskError::conflict(Reason::FolderThere)),
        Some(Kind::Link | Kind::Special(_)) => Err(DiskError::Forbidden),
    }
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
        let at = match (pos, self.changes, &mut self.file) {
            (_, Some(size), Some(_)) if self.appends => Ok(size),
            (SeekFrom::Start(at), Some(size), Some(file)) if at <= size => {
                file.go_to(at).map(|()| at).map_err(fs_error)
            }
            _ => Err(FsError::NotImplemented),
        };
        Box::pin(std::future::ready(at))
    }

    fn flush(&'_ mut self) -> FsFuture<'_, ()> {
        Box::pin(async move {
            self.store().await.map_err(|error| match error {
                DiskError::BadRequest(_) => {
                    self.files.refuse(error);
                    FsError::Forbidden
                }
                other => fs_error(other),
            })
        })
    }
}
