//! The only place that turns a user's path into a real one.
//!
//! A [`VirtualPath`] is the client's path; a [`Location`] is its real place, in which space and with which permissions;
//! a [`Found`] or an [`Entry`] is an open handle. No other part of the disk builds a path for the file system.
//!
//! Names that are not UTF-8 cannot be in a path. They are listed with replacement characters and a mark, and are moved
//! or deleted with their folder, but cannot be addressed themselves.

mod attributes;
mod entry;
mod folder;
mod location;
mod meta;
mod mounts;
mod open;
mod path;
mod permitted;
mod resolve;
#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::Context;
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, openat};

pub use attributes::{attribute, set_attribute};
pub use entry::{Entry, FILE_MODE, FOLDER_MODE, make_folder, own_like_folder, sync_folder};
pub(crate) use entry::{exchange, rename_new};
pub use folder::{entries, names_in, read_entries};
pub use location::Location;
pub use meta::{Kind, Meta, Moment};
pub use open::read_folder;
pub use path::{MAX_DEPTH, MAX_NAME_BYTES, PathError, RESERVED_NAME, VirtualPath, is_reserved};
pub use resolve::Found;
pub(crate) use resolve::read_link;

/// How a folder is opened to work in it.
pub const FOLDER: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A handle on the disk's root, which everything is opened from.
#[derive(Debug)]
pub struct Jail {
    root: OwnedFd,
    /// `/proc/self/fd`, to read a file that is open as a mere handle.
    handles: OwnedFd,
    /// Without `openat2`; only tests set it.
    one_by_one: bool,
}

impl Jail {
    /// Opens the root, which must exist.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, root, flags, Mode::empty())
            .with_context(|| format!("opening the disk's root {}", root.display()))?;
        let handles = openat(CWD, "/proc/self/fd", flags, Mode::empty())
            .context("opening /proc/self/fd, which the disk needs to read files")?;
        Ok(Self { root, handles, one_by_one: false })
    }

    /// Works as if the kernel had no `openat2`.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn one_by_one(self, one_by_one: bool) -> Self {
        Self { one_by_one, ..self }
    }

    /// The disk's root itself.
    pub fn root(&self) -> &OwnedFd {
        &self.root
    }
}
