//! A file or folder as clients see it, and the pure rules of that.

use std::collections::BTreeMap;

use disk_core::jail::{Kind, Meta, VirtualPath};
use kernel::Timestamp;
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::checksum::Checksum;
use super::kind::{ResourceType, extension, of_name};
use super::listing::Items;
use super::text::Text;
use super::total::Total;

/// What is known of one entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    /// From the viewer's root, decoded. A folder's ends with a slash when it was asked for so.
    #[schema(example = "/home/图.png")]
    path: String,
    /// The last name of the path; empty for the root.
    pub(super) name: String,
    /// Bytes; for a folder what the folder itself takes, not what is in it.
    pub(super) size: u64,
    /// From the last dot on, with the dot; empty without one.
    pub(super) extension: String,
    /// When the content last changed.
    pub(super) modified: Timestamp,
    /// Go's `FileMode` as a number: the permission bits, and bit 31 for folders, 27 for links.
    #[schema(format = Int64)]
    pub(super) mode: u32,
    /// Whether it is a folder, or a link to one.
    pub(super) is_dir: bool,
    /// Whether it is a link.
    pub(super) is_symlink: bool,
    /// What it is shown as; empty for folders.
    #[serde(rename = "type")]
    pub(super) kind: ResourceType,
    /// The name on the disk is not UTF-8 and can't be said in a path: shown with replacement
    /// characters, and nothing can be done to it but through its folder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(super) invalid_name: bool,
}

/// A file, or a folder with what is in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource<'a> {
    /// What it is.
    #[serde(flatten)]
    pub(super) item: Item,
    /// The content of a text file of at most 10 MiB, for users who may download it. Left out where
    /// it is in no known encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub(super) content: Option<Text<'a>>,
    /// What the file has the content in: `utf-8`, `utf-8-bom`, `utf-16le`, `utf-16be`, `gb18030`
    /// and others. To be given back as `encoding` when it is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) encoding: Option<String>,
    /// Paths of subtitles that lie beside a film.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(super) subtitles: Vec<String>,
    /// The digest that was asked for, in hexadecimal, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, String>, required = false)]
    pub(super) checksums: Option<BTreeMap<Checksum, String>>,
    /// What the folder holds altogether, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) total: Option<Total>,
    /// Folders in the folder, also those that the part leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) num_dirs: Option<u64>,
    /// Everything else in the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) num_files: Option<u64>,
    /// How `items` are sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) sorting: Option<Sorting>,
    /// What is in the folder, folders first; only a part when `offset` or `limit` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<Item>, required = false)]
    pub(super) items: Option<Items<'a>>,
    /// Stands for the password of a share that has one, for an hour, as `?token=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) token: Option<String>,
    /// Whose share it is, for visitors of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) sharing: Option<Sharing>,
}

/// Whose share visitors see, and what they may send to it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Sharing {
    /// What people call its owner.
    by: String,
    /// Of a link that only takes files, in a folder of which visitors see nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    collect: Option<Collecting>,
}

/// What visitors may send. How much others have sent is not told.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Collecting {
    /// Bytes that all visitors together may send.
    pub(crate) max_bytes: u64,
    /// Files that all visitors together may send.
    pub(crate) max_files: u64,
    /// Whether it takes no more.
    pub(crate) full: bool,
}

impl Sharing {
    pub(crate) fn new(by: &str, collect: Option<Collecting>) -> Self {
        Self { by: by.to_owned(), collect }
    }
}

/// What visitors of a share see instead of the owner's values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// Path and name instead of the entry's own.
    pub(crate) named: Option<(String, String)>,
    pub(crate) token: Option<String>,
    pub(crate) sharing: Option<Sharing>,
    /// What a folder holds altogether, where that was counted before.
    pub(crate) total: Option<Total>,
}

impl Resource<'_> {
    /// The item alone.
    pub(super) fn new(item: Item) -> Self {
        Self {
            item,
            content: None,
            encoding: None,
            subtitles: Vec::new(),
            checksums: None,
            total: None,
            num_dirs: None,
            num_files: None,
            sorting: None,
            items: None,
            token: None,
            sharing: None,
        }
    }

    /// The same as visitors see it.
    pub(super) fn shown(mut self, shown: Shown) -> Self {
        if let Some((path, name)) = shown.named {
            self.item.path = path;
            self.item.name = name;
        }
        let total = shown.total.or(self.total);
        Self { token: shown.token, sharing: shown.sharing, total, ..self }
    }
}

/// What a folder is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortKey {
    /// Naturally: numbers by value, without regard to case.
    #[default]
    Name,
    /// Smallest first.
    Size,
    /// Oldest first.
    Modified,
}

/// How a folder is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Sorting {
    pub(crate) by: SortKey,
    /// A to Z, smallest or oldest first.
    pub(crate) asc: bool,
}

impl Default for Sorting {
    fn default() -> Self {
        Self { by: SortKey::Name, asc: true }
    }
}

impl Item {
    /// From an entry's metadata and, if it is a link, those of its target.
    pub(super) fn new(path: &VirtualPath, own: &Meta, target: Option<&Meta>) -> Self {
        Self::of(path.to_string(), path.name().to_owned(), target.unwrap_or(own), own.kind == Kind::Link)
    }

    /// From the displayed metadata, and whether they were reached by a link.
    pub(super) fn of(path: String, name: String, seen: &Meta, link: bool) -> Self {
        let kind = match seen.kind {
            Kind::Folder => ResourceType::Folder,
            Kind::Link => ResourceType::InvalidLink,
            Kind::Special(_) => ResourceType::Blob,
            Kind::File => of_name(&name, seen.size),
        };
        Self {
            path,
            size: seen.size,
            extension: extension(&name).to_owned(),
            modified: seen.modified.timestamp(),
            mode: go_mode(seen, link),
            is_dir: seen.is_folder(),
            is_symlink: link,
            kind,
            invalid_name: false,
            name,
        }
    }

    /// A folder that exists only in a view.
    pub(super) fn made_up(path: &VirtualPath, modified: Timestamp) -> Self {
        Self {
            path: path.to_string(),
            name: path.name().to_owned(),
            size: 0,
            extension: String::new(),
            modified,
            mode: GO_FOLDER | 0o550,
            is_dir: true,
            is_symlink: false,
            kind: ResourceType::Folder,
            invalid_name: false,
        }
    }
}

const GO_FOLDER: u32 = 1 << 31;

/// Go's numbering of modes, which clients of this API expect.
fn go_mode(meta: &Meta, link: bool) -> u32 {
    let kind = match meta.kind {
        Kind::File | Kind::Link => 0,
        Kind::Folder => GO_FOLDER,
        Kind::Special(FileType::Fifo) => 1 << 25,
        Kind::Special(FileType::Socket) => 1 << 24,
        Kind::Special(FileType::CharacterDevice) => 1 << 26 | 1 << 21,
        Kind::Special(_) => 1 << 26,
    };
    let bit = |from: u32, to: u32| if meta.mode & from != 0 { to } else { 0 };
    let set = bit(0o4000, 1 << 23) | bit(0o2000, 1 << 22) | bit(0o1000, 1 << 20);
    (meta.mode & 0o777) | kind | set | if link { 1 << 27 } else { 0 }
}
