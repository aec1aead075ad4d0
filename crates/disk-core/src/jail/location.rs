//! The real location of a path in a view.

use std::ffi::{OsStr, OsString};

use crate::rules::Access;
use crate::space::Space;

/// A place below the disk's root. For people only `view.rs` makes one, so it is always within what the person may see.
#[derive(Clone, Debug)]
pub struct Location {
    pub space: Space,
    /// From the disk's root down.
    pub names: Vec<OsString>,
    /// How many of the names lead to the space itself. No link is followed among them, and no
    /// link below leads above them.
    pub base: usize,
    /// Whether links are followed at all.
    pub links: bool,
    /// Whether the space's own folder is made when it is missing (homes at the first visit).
    pub make_base: bool,
    /// Whether this person may change anything here.
    pub writable: bool,
    /// The rules for this person, checked for every entry by its true names.
    pub access: Access,
    /// Roots and spaces: they can't be deleted, renamed or replaced.
    pub fixed: bool,
}

impl Location {
    /// The entry with these true names, for the disk's own purposes. No link is followed.
    pub fn of_true_names(names: Vec<OsString>) -> Self {
        Self {
            space: Space::Top,
            names,
            base: 0,
            links: false,
            make_base: false,
            writable: false,
            access: Access::default(),
            fixed: false,
        }
    }

    /// The last name; `None` for the disk's root.
    pub fn name(&self) -> Option<&OsStr> {
        self.names.last().map(OsString::as_os_str)
    }

    /// The same place's ancestor that has this many names.
    pub(crate) fn ancestor(&self, keep: usize) -> Self {
        let names = self.names[..keep.min(self.names.len())].to_vec();
        Self { names, base: self.base.min(keep), ..self.clone() }
    }

    /// The folder that this lies in.
    pub fn parent(&self) -> Self {
        self.ancestor(self.names.len().saturating_sub(1))
    }
}
