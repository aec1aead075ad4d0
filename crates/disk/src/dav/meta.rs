//! Metadata of an entry for `dav-server`.

use std::time::{Duration, SystemTime};

use dav_server::fs::{DavDirEntry, DavMetaData, FsError, FsFuture, FsResult};
use disk_core::error::DiskError;
use disk_core::jail::{Kind, Meta, Moment};
use kernel::Timestamp;

use crate::http::Validators;

/// An entry's facts.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    size: u64,
    kind: Kind,
    modified: SystemTime,
    created: Option<SystemTime>,
    etag: Option<String>,
}

impl Facts {
    pub(super) fn of(meta: &Meta) -> Self {
        let etag = (meta.kind == Kind::File).then(|| Validators::of(meta).tag().to_owned());
        let created = meta.born.map(system_time);
        Self { size: meta.size, kind: meta.kind, modified: system_time(meta.modified), created, etag }
    }

    /// A folder that is nowhere.
    pub(super) fn made_up(now: Timestamp) -> Self {
        let modified =
            SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now.as_millis()).unwrap_or_default());
        Self { size: 0, kind: Kind::Folder, modified, created: None, etag: None }
    }

    /// Sets a folder's length, which `dav-server` reports as `quota-used-bytes`.
    pub(super) fn with_room(mut self, used: u64) -> Self {
        if self.is_folder() {
            self.size = used;
        }
        self
    }

    pub(super) fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }
}

fn system_time(at: Moment) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::new(u64::try_from(at.seconds).unwrap_or_default().min(1 << 37), at.nanos)
}

impl DavMetaData for Facts {
    fn len(&self) -> u64 {
        self.size
    }

    fn modified(&self) -> FsResult<SystemTime> {
        Ok(self.modified)
    }

    fn created(&self) -> FsResult<SystemTime> {
        self.created.ok_or(FsError::NotImplemented)
    }

    fn is_dir(&self) -> bool {
        self.kind == Kind::Folder
    }

    fn is_symlink(&self) -> bool {
        self.kind == Kind::Link
    }

    fn etag(&self) -> Option<String> {
        self.etag.clone()
    }
}

/// An entry of a folder.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) facts: Facts,
}

impl DavDirEntry for Listed {
    fn name(&self) -> Vec<u8> {
        self.name.clone().into_bytes()
    }

    fn metadata(&'_ self) -> FsFuture<'_, Box<dyn DavMetaData>> {
        let facts: Box<dyn DavMetaData> = Box::new(self.facts.clone());
        Box::pin(std::future::ready(Ok(facts)))
    }
}

/// The nearest that `dav-server` has words for.
pub(super) fn fs_error(error: DiskError) -> FsError {
    match error {
        DiskError::NotFound => FsError::NotFound,
        DiskError::Conflict(_) => FsError::Exists,
        DiskError::InsufficientStorage(_) => FsError::InsufficientStorage,
        DiskError::TooLarge => FsError::TooLarge,
        DiskError::Internal(source) | DiskError::Unavailable(source) => {
            tracing::error!(error = format!("{source:#}"), "WebDAV request failed");
            FsError::GeneralFailure
        }
        _ => FsError::Forbidden,
    }
}
