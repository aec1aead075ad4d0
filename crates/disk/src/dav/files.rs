//! The disk as `dav-server` sees it in one request of one person.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use dav_server::davpath::DavPath;
use dav_server::fs::{
    DavDirEntry, DavFile, DavFileSystem, DavMetaData, DavProp, FsError, FsFuture, FsResult, FsStream, OpenOptions,
    ReadDirMeta,
};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, VirtualPath};
use disk_core::transfer::Action;
use futures_util::stream;
use http::StatusCode;

use super::incoming::Incoming;
use super::look::Room;
use super::meta::{Facts, Listed, fs_error};
use super::request::{Visit, virtual_path};
use super::{change, look, properties};
use crate::host::Host;
use crate::http::Member;

/// The context of one request: person and target.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) host: Host,
    pub(super) member: Member,
    pub(super) visit: Visit,
    /// Present if the request asks for the quota.
    room: Option<Room>,
    /// The error of a request that `dav-server`'s error type cannot express.
    refusal: Arc<Mutex<Option<DiskError>>>,
}

impl Files {
    pub(super) fn new(host: Host, member: Member, visit: Visit, room: Option<Room>) -> Self {
        Self { host, member, visit, room, refusal: Arc::default() }
    }

    pub(super) fn jail(&self) -> &Jail {
        &self.host.files.jail
    }

    /// Overrides `dav-server`'s answer with this error.
    pub(super) fn refuse(&self, error: DiskError) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(super) fn refusal(&self) -> Option<DiskError> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn facts(&self, facts: Facts) -> Facts {
        match self.room {
            Some(room) => facts.with_room(room.used),
            None => facts,
        }
    }

    /// File work on a path.
    fn work<'a, T: Send + 'static>(
        &'a self,
        path: &DavPath,
        work: impl FnOnce(&Self, &VirtualPath) -> DiskResult<T> + Send + 'static,
    ) -> FsFuture<'a, T> {
        let (files, path) = (self.clone(), virtual_path(path));
        Box::pin(async move {
            let path = path?;
            blocking(move || work(&files, &path)).await.map_err(fs_error)
        })
    }

    fn transfer<'a>(&'a self, action: Action, from: &DavPath, to: &DavPath) -> FsFuture<'a, ()> {
        let (from, to) = (virtual_path(from), virtual_path(to));
        Box::pin(async move { change::transfer(self, action, &from?, &to?).await.map_err(fs_error) })
    }
}

impl DavFileSystem for Files {
    fn open<'a>(&'a self, path: &'a DavPath, options: OpenOptions) -> FsFuture<'a, Box<dyn DavFile>> {
        Box::pin(async move {
            // Content is read another way (`serve`).
            if !options.write {
                return Err(FsError::NotImplemented);
            }
            let mut file = Incoming::open(self, &virtual_path(path)?, &options).await.map_err(fs_error)?;
            if self.visit.is("LOCK") {
                // A lock on a free name makes an empty file of it.
                file.store().await.map_err(fs_error)?;
            }
            let file: Box<dyn DavFile> = Box::new(file);
            Ok(file)
        })
    }

    fn read_dir<'a>(&'a self, path: &'a DavPath, _meta: ReadDirMeta) -> FsFuture<'a, FsStream<Box<dyn DavDirEntry>>> {
        Box::pin(async move {
            let whole = self.visit.takes_folders_whole();
            let listed = if whole { Vec::new() } else { self.work(path, look::list).await? };
            let entries: Vec<FsResult<Box<dyn DavDirEntry>>> = listed
                .into_iter()
                .map(|entry| {
                    let entry: Box<dyn DavDirEntry> = Box::new(Listed { facts: self.facts(entry.facts), ..entry });
                    Ok(entry)
                })
                .collect();
            let entries: FsStream<Box<dyn DavDirEntry>> = Box::pin(stream::iter(entries));
            Ok(entries)
        })
    }

    fn metadata<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, Box<dyn DavMetaData>> {
        Box::pin(async move { Ok(boxed(self.facts(self.work(path, look::facts).await?))) })
    }

    fn symlink_metadata<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, Box<dyn DavMetaData>> {
        Box::pin(async move { Ok(boxed(self.work(path, look::own_facts).await?)) })
    }

    fn create_dir<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, ()> {
        if self.visit.is("COPY") && !self.visit.shallow {
            // The beginning of a folder's copy, and here all of it.
            let (from, to) = (self.visit.path.clone(), virtual_path(path));
            return Box::pin(async move { change::transfer(self, Action::Copy, &from, &to?).await.map_err(fs_error) });
        }
        self.work(path, change::make_folder)
    }

    fn remove_dir<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, ()> {
        self.work(path, change::remove)
    }

    fn remove_file<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, ()> {
        self.work(path, change::remove)
    }

    fn rename<'a>(&'a self, from: &'a DavPath, to: &'a DavPath) -> FsFuture<'a, ()> {
        self.transfer(Action::Rename, from, to)
    }

    fn copy<'a>(&'a self, from: &'a DavPath, to: &'a DavPath) -> FsFuture<'a, ()> {
        self.transfer(Action::Copy, from, to)
    }

    fn have_props<'a>(&'a self, _path: &'a DavPath) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(std::future::ready(true))
    }

    fn patch_props<'a>(
        &'a self,
        path: &'a DavPath,
        patch: Vec<(bool, DavProp)>,
    ) -> FsFuture<'a, Vec<(StatusCode, DavProp)>> {
        self.work(path, move |files, path| properties::patch(files, path, patch))
    }

    fn get_props<'a>(&'a self, path: &'a DavPath, do_content: bool) -> FsFuture<'a, Vec<DavProp>> {
        self.work(path, move |files, path| properties::all(files, path, do_content))
    }

    fn get_prop<'a>(&'a self, path: &'a DavPath, wanted: DavProp) -> FsFuture<'a, Vec<u8>> {
        self.work(path, move |files, path| properties::one(files, path, &wanted))
    }

    fn get_quota(&'_ self) -> FsFuture<'_, (u64, Option<u64>)> {
        let room = self.room.map(|room| (room.used, Some(room.total)));
        Box::pin(std::future::ready(room.ok_or(FsError::NotImplemented)))
    }
}

fn boxed(facts: Facts) -> Box<dyn DavMetaData> {
    Box::new(facts)
}
