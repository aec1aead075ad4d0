//! A folder's content: one blocking pass, nothing opened, and with paging by name only the page
//! is looked at.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::FileType;

use super::model::{Item, Resource, SortKey, Sorting};
use super::natural;
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::jail::{Found, Kind, Meta, VirtualPath, entries, is_reserved};
use crate::rules::Access;
use crate::view::{Place, View};

/// Which part of a folder, in which order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    pub(super) sorting: Sorting,
    pub(super) offset: usize,
    pub(super) limit: Option<usize>,
}

/// Somebody looking into a folder.
pub(super) struct Lister<'a> {
    pub(super) host: &'a Host,
    pub(super) view: &'a View,
    pub(super) path: &'a VirtualPath,
    pub(super) hide_dotfiles: bool,
}

struct Row {
    name: OsString,
    text: String,
    key: Box<[u8]>,
    folder: bool,
    /// Its facts and those of a link's target, once they were looked at.
    facts: Option<(Meta, Option<Meta>)>,
}

impl Lister<'_> {
    /// A real folder, without what the rules deny.
    pub(super) fn list(&self, folder: &Found, access: &Access, wanted: Selection) -> DiskResult<Resource> {
        let all = wanted.sorting.by != SortKey::Name;
        let mut rows: Vec<Row> = entries(&folder.handle)?
            .into_iter()
            .filter(|(name, _)| self.shows(name) && access.allows_in(&folder.names, name))
            .filter_map(|(name, kind)| self.row(folder, name, kind, all))
            .collect();
        rows.sort_unstable_by(|a, b| compare(a, b, wanted.sorting));
        let folders = rows.iter().filter(|row| row.folder).count();
        let files = rows.len() - folders;
        let limit = wanted.limit.unwrap_or(usize::MAX);
        let page = rows.into_iter().skip(wanted.offset).take(limit);
        let items = page.filter_map(|row| self.item(folder, row)).collect();
        let own = Item::new(self.path, &folder.meta, None);
        Ok(resource(own, items, folders, files, wanted.sorting))
    }

    fn shows(&self, name: &OsStr) -> bool {
        let hidden = self.hide_dotfiles && name.as_bytes().starts_with(b".");
        !hidden && !is_reserved(name.as_bytes())
    }

    /// The made-up root or folder of groups.
    pub(super) fn list_made_up(&self, names: &[&str], wanted: Selection) -> Resource {
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
        let own = Item::made_up(self.path, self.host.clock.now());
        resource(own, items, folders, 0, wanted.sorting)
    }

    fn made_up_item(&self, name: &str) -> Option<Item> {
        let path = self.path.join(name);
        match self.view.place(&path) {
            Place::At(location) => match self.host.jail.find(&location) {
                Ok(found) => Some(Item::new(&path, &found.meta, None)),
                // Left to an administrator to make, or denied.
                Err(DiskError::NotFound | DiskError::Forbidden) => None,
                Err(error) => {
                    tracing::error!(error = %error, disk.folder = name, "a folder of the disk can't be opened");
                    None
                }
            },
            Place::Groups => Some(Item::made_up(&path, self.host.clock.now())),
            Place::Root | Place::Nowhere => None,
        }
    }

    fn row(&self, folder: &Found, name: OsString, kind: FileType, all: bool) -> Option<Row> {
        let must_look = all || matches!(kind, FileType::Symlink | FileType::Unknown);
        let facts = if must_look { Some(self.facts(folder, &name)?) } else { None };
        let is_folder = facts
            .as_ref()
            .map_or(kind == FileType::Directory, |(own, target)| target.as_ref().unwrap_or(own).is_folder());
        let text = name.to_string_lossy().into_owned();
        Some(Row { key: natural::key(&text), text, name, folder: is_folder, facts })
    }

    /// Nothing when it has vanished.
    fn facts(&self, folder: &Found, name: &OsStr) -> Option<(Meta, Option<Meta>)> {
        let own = Meta::at(&folder.handle, name).ok()?;
        let target = if own.kind == Kind::Link { self.target(name) } else { None };
        Some((own, target))
    }

    /// What a link leads to, as far as this person sees it.
    fn target(&self, name: &OsStr) -> Option<Meta> {
        match self.view.place(&self.path.join(name.to_str()?)) {
            Place::At(location) => self.host.jail.find(&location).ok().map(|found| found.meta),
            _ => None,
        }
    }

    fn item(&self, folder: &Found, row: Row) -> Option<Item> {
        let facts = match row.facts {
            Some(facts) => facts,
            None => self.facts(folder, &row.name)?,
        };
        let mut item = Item::new(&self.path.join(&row.text), &facts.0, facts.1.as_ref());
        item.invalid_name = row.name.to_str().is_none();
        Some(item)
    }
}

fn resource(item: Item, items: Vec<Item>, folders: usize, files: usize, sorting: Sorting) -> Resource {
    Resource {
        item,
        items: Some(items),
        num_dirs: Some(u64::try_from(folders).unwrap_or(u64::MAX)),
        num_files: Some(u64::try_from(files).unwrap_or(u64::MAX)),
        sorting: Some(sorting),
    }
}

/// Folders first, then as wanted, then by name so that the order is always the same.
fn compare(a: &Row, b: &Row, sorting: Sorting) -> Ordering {
    let facts = |row: &'_ Row| {
        row.facts.as_ref().map(|(own, target)| {
            let seen = target.as_ref().unwrap_or(own);
            (seen.size, seen.modified)
        })
    };
    let wanted = match sorting.by {
        SortKey::Name => Ordering::Equal,
        // A folder's own size says nothing to people.
        SortKey::Size if a.folder && b.folder => Ordering::Equal,
        SortKey::Size => facts(a).map(|facts| facts.0).cmp(&facts(b).map(|facts| facts.0)),
        SortKey::Modified => facts(a).map(|facts| facts.1).cmp(&facts(b).map(|facts| facts.1)),
    };
    let by_name = || a.key.cmp(&b.key).then_with(|| a.text.cmp(&b.text)).then_with(|| a.name.cmp(&b.name));
    let order = wanted.then_with(by_name);
    b.folder.cmp(&a.folder).then(if sorting.asc { order } else { order.reverse() })
}
