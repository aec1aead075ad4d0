//! The disk as `dav-server` sees it in one request of one person.

use std::future::Future;
use std::pin::Pin;

use dav_server::davpath::DavPath;
use dav_server::fs::{
    DavDirEntry, DavFile, DavFileSystem, DavMetaData, DavProp, FsError, FsFuture, FsStream, OpenOptions, ReadDirMeta,
};
use futures_util::stream;
use http::StatusCode;

use super::incoming::Incoming;
use super::meta::{Facts, fs_error};
use super::request::{Visit, virtual_path};
use super::{change, look, properties};
use crate::error::DiskResult;
use crate::host::Host;
use crate::http::{Member, blocking};
use crate::jail::VirtualPath;
use crate::transfer::Action;

/// Knows who asks and for what; made for each request.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) host: Host,
    pub(super) member: Member,
    pub(super) visit: Visit,
}

impl Files {
    pub(super) fn new(host: Host, member: Member, visit: Visit) -> Self {
        Self { host, member, visit }
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
            // Content is read another way (`serve`), and files are written whole.
            if !options.write || options.append {
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
            let entries = listed.into_iter().map(|entry| Ok(Box::new(entry) as Box<dyn DavDirEntry>));
            let entries: FsStream<Box<dyn DavDirEntry>> = Box::pin(stream::iter(entries));
            Ok(entries)
        })
    }

    fn metadata<'a>(&'a self, path: &'a DavPath) -> FsFuture<'a, Box<dyn DavMetaData>> {
        Box::pin(async move { Ok(boxed(self.work(path, look::facts).await?)) })
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
        Box::pin(async move { look::room(self).await.map_err(fs_error) })
    }
}

fn boxed(facts: Facts) -> Box<dyn DavMetaData> {
    Box::new(facts)
}
