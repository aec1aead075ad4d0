//! The content of a folder: names are read and sorted in one pass, and nothing is opened. Each entry's metadata is read
//! while the response is written, so that the first of a hundred thousand is sent before the last was read.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc;
use std::thread;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Found, Kind, Meta, VirtualPath, is_reserved, read_entries};
use disk_core::rules::Access;
use disk_core::view::{Place, View};
use rustix::fs::FileType;
use serde::{Serialize, Serializer};

use super::model::{Item, Resource, SortKey, Sorting};
use super::rows::{Facts, Row, Rows};
use super::total::Total;
use crate::host::ReadParts;

/// From this number of entries on, other threads read metadata while this one writes; fewer do not justify a thread.
const MANY_TO_LOOK_AT: usize = 256;
/// Number of such threads: reading takes about twice as long as writing, and more would take CPU from other requests.
const LOOKERS: usize = 2;
/// How many entries a thread hands over at once.
const LOOKED_AT_AT_ONCE: usize = 64;
/// How many times that many of each thread may wait to be written.
const LOOKED_AT_AHEAD: usize = 8;

/// Which part of a folder, in which order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    pub(super) sorting: Sorting,
    pub(super) offset: usize,
    pub(super) limit: Option<usize>,
}

/// The context of listing a folder.
pub(super) struct Lister<'a> {
    pub(super) from: &'a ReadParts,
    pub(super) view: &'a View,
    pub(super) path: &'a VirtualPath,
    pub(super) hide_dotfiles: bool,
}

/// A folder whose names were read.
#[derive(Debug)]
pub(super) struct Listing {
    own: Item,
    folder: Found,
    /// The path before each name.
    prefix: String,
    total: Option<Total>,
    rows: Rows,
    wanted: Selection,
}

/// Entries of a folder, as part of a response.
#[derive(Debug)]
pub(crate) enum Items<'a> {
    /// As they are.
    Ready(Vec<Item>),
    /// Read one by one while they are written; entries that vanished meanwhile are left out.
    Read(&'a Listing),
}

impl Lister<'_> {
    /// Lists a real folder, without entries that the rules deny.
    pub(super) fn list(
        &self,
        folder: Found,
        access: &Access,
        total: Option<Total>,
        wanted: Selection,
    ) -> DiskResult<Listing> {
        let all = wanted.sorting.by != SortKey::Name;
        let mut rows = Rows::default();
        read_entries(&folder.handle, |name, kind| {
            if !self.shows(name) || !access.allows_in(&folder.names, name) {
                return;
            }
            if !all && !matches!(kind, FileType::Symlink | FileType::Unknown) {
                rows.push(name, kind == FileType::Directory, None);
            } else if let Some(facts) = self.facts(&folder, name) {
                rows.push(name, facts.seen.is_folder(), Some(facts));
            }
        })?;
        rows.sort(wanted.sorting);
        let path = self.path.to_string();
        let prefix = format!("{}/", path.trim_end_matches('/'));
        Ok(Listing { own: Item::new(self.path, &folder.meta, None), folder, prefix, total, rows, wanted })
    }

    fn shows(&self, name: &OsStr) -> bool {
        let hidden = self.hide_dotfiles && name.as_bytes().starts_with(b".");
        !hidden && !is_reserved(name.as_bytes())
    }

    /// The made-up root or folder of groups.
    pub(super) fn list_made_up(&self, names: &[&str], wanted: Selection) -> Resource<'static> {
        let mut items: Vec<Item> = names.iter().filter_map(|name| self.made_up_item(name)).collect();
        items.sort_by(|a, b| {
            let order = match wanted.sorting.by {
                // The root keeps its own order: home first.
                SortKey::Name | SortKey::Size => Ordering::Equal,
                SortKey::Modified => a.modified.cmp(&b.modified),
            };
            if wanted.sorting.asc { order } else { order.reverse() }
        });
        let folders = items.len();
        let items = items.into_iter().skip(wanted.offset).take(wanted.limit.unwrap_or(usize::MAX)).collect();
        let own = Item::made_up(self.path, self.from.clock.now());
        folder(own, folders, 0, wanted.sorting, Items::Ready(items))
    }

    fn made_up_item(&self, name: &str) -> Option<Item> {
        let path = self.path.join(name);
        match self.view.place(&path) {
            Place::At(location) => match self.from.jail.find(&location) {
                Ok(found) => Some(Item::new(&path, &found.meta, None)),
                // Left to an administrator to make, or denied.
                Err(DiskError::NotFound | DiskError::Forbidden) => None,
                Err(error) => {
                    tracing::error!(error = %error, disk.folder = name, "a folder of the disk can't be opened");
                    None
                }
            },
            Place::Shelf(_) => Some(Item::made_up(&path, self.from.clock.now())),
            Place::Root | Place::Nowhere => None,
        }
    }

    /// Nothing when it has vanished.
    fn facts(&self, folder: &Found, name: &OsStr) -> Option<Facts> {
        let own = Meta::at(&folder.handle, name).ok()?;
        let link = own.kind == Kind::Link;
        let target = if link { self.target(name) } else { None };
        Some(Facts { seen: target.unwrap_or(own), link })
    }

    /// A link's target, if it is in this user's view.
    fn target(&self, name: &OsStr) -> Option<Meta> {
        match self.view.place(&self.path.join(name.to_str()?)) {
            Place::At(location) => self.from.jail.find(&location).ok().map(|found| found.meta),
            _ => None,
        }
    }
}

impl Listing {
    /// How many entries there are to be written.
    pub(super) fn len(&self) -> usize {
        self.page().len()
    }

    /// The response, which reads the entries' metadata while it is written.
    pub(super) fn resource(&self) -> Resource<'_> {
        let (folders, files) = (self.rows.folders(), self.rows.files());
        let resource = folder(self.own.clone(), folders, files, self.wanted.sorting, Items::Read(self));
        Resource { total: self.total, ..resource }
    }

    fn page(&self) -> &[Row] {
        self.rows.page(self.wanted.offset, self.wanted.limit.unwrap_or(usize::MAX))
    }

    /// Writes one entry after the other. In a large folder other threads read the next ones meanwhile, each a fixed
    /// share of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let page = self.page();
        if page.len() <= MANY_TO_LOOK_AT {
            return serializer.collect_seq(page.iter().filter_map(|row| Some(self.item(row, &*self.facts(row)?))));
        }
        thread::scope(|scope| {
            let lookers: [_; LOOKERS] = std::array::from_fn(|first| {
                let (looked, facts) = mpsc::sync_channel(LOOKED_AT_AHEAD);
                scope.spawn(move || {
                    for rows in page.chunks(LOOKED_AT_AT_ONCE).skip(first).step_by(LOOKERS) {
                        let facts: Vec<_> = rows.iter().map(|row| self.facts(row)).collect();
                        if looked.send(facts).is_err() {
                            // The client is gone.
                            break;
                        }
                    }
                });
                facts
            });
            // In the order of the page; it ends with the first that has no more.
            let facts = lookers.iter().cycle().map_while(|facts| facts.recv().ok()).flatten();
            serializer.collect_seq(page.iter().zip(facts).filter_map(|(row, facts)| Some(self.item(row, &*facts?))))
        })
    }

    /// Nothing when it has vanished.
    fn facts(&self, row: &Row) -> Option<Cow<'_, Facts>> {
        if let Some(facts) = self.rows.facts(row) {
            return Some(Cow::Borrowed(facts));
        }
        // Not a link: those were read with the names.
        let seen = Meta::at(&self.folder.handle, self.rows.name(row)).ok()?;
        Some(Cow::Owned(Facts { link: seen.kind == Kind::Link, seen }))
    }

    fn item(&self, row: &Row, facts: &Facts) -> Item {
        let name = self.rows.name(row);
        let text = name.to_string_lossy().into_owned();
        let mut item = Item::of(format!("{}{text}", self.prefix), text, &facts.seen, facts.link);
        item.invalid_name = name.to_str().is_none();
        item
    }
}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ready(items) => items.serialize(serializer),
            Self::Read(listing) => listing.serialize(serializer),
        }
    }
}

fn folder(own: Item, folders: usize, files: usize, sorting: Sorting, items: Items<'_>) -> Resource<'_> {
    Resource {
        num_dirs: Some(u64::try_from(folders).unwrap_or(u64::MAX)),
        num_files: Some(u64::try_from(files).unwrap_or(u64::MAX)),
        sorting: Some(sorting),
        items: Some(items),
        ..Resource::new(own)
    }
}
