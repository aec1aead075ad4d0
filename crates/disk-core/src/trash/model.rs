//! A deleted entry. Pure.

use std::ffi::OsString;
use std::time::Duration;

use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::jail::{Location, VirtualPath};
use crate::space::{DATASETS, Space};
use crate::view::View;

/// A deleted entry, as its record and its row have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    pub id: Uuid,
    /// Where it was, from the disk's root down.
    pub names: Vec<String>,
    /// As a path from the disk's root; empty for the root itself.
    pub space: String,
    pub is_folder: bool,
    /// Allocated bytes, as quotas count them.
    pub size: u64,
    /// Length of its files; `None` for entries from before it was recorded.
    #[serde(default)]
    pub length: Option<u64>,
    /// Owner of the home that it came from. A name can be reused, an id never.
    pub(crate) home_owner: Option<UserId>,
    pub deleted_by: UserId,
    pub deleted_by_name: String,
    /// Milliseconds since 1970.
    pub(crate) deleted_at: i64,
}

impl Deleted {
    /// The name that it had; empty for the disk's root.
    pub fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// Where it was, from the disk's root down.
    pub fn place(&self) -> String {
        self.names.iter().map(|name| format!("/{name}")).collect()
    }

    /// When it was deleted.
    pub fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.deleted_at)
    }

    /// Its former path in this viewer's view, as a location that they may change; `None` if they may not restore it.
    pub fn seen_by(&self, view: &View, viewer: UserId, admin: bool) -> Option<(VirtualPath, Location)> {
        let theirs = match self.home_owner {
            Some(owner) => owner == viewer,
            None => self.deleted_by == viewer,
        };
        if !admin && !theirs {
            return None;
        }
        let path = view.said(&self.names)?;
        let location = view.writable(&path).ok()?;
        let names: Vec<OsString> = self.names.iter().map(OsString::from).collect();
        // Another person's home with the same name is another place.
        (location.names == names && location.access.allows(&names)).then_some((path, location))
    }

    /// Where it was, if that was in a dataset of the viewer's that is no more: [`Trash::hand_over`].
    ///
    /// [`Trash::hand_over`]: super::Trash::hand_over
    pub fn of_former_dataset(&self, view: &View, viewer: UserId) -> Option<VirtualPath> {
        let was_one = self.names.first().is_some_and(|name| name == DATASETS);
        let theirs = was_one && self.home_owner == Some(viewer);
        theirs.then(|| view.said(&self.names)).flatten()
    }
}

/// A space as text: its path from the disk's root.
pub(super) fn space_text(space: &Space) -> String {
    let names: Vec<String> = space.names().iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.join("/")
}

/// The space of a text that [`space_text`] made.
pub(super) fn space_of(text: &str) -> Space {
    let names: Vec<OsString> = text.split('/').map(OsString::from).collect();
    Space::rooted_at(&names).unwrap_or(Space::Top)
}

/// How long the trash keeps things.
pub fn keep_for(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * 24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_as_text() {
        for space in [
            Space::Home("ann".into()),
            Space::Group("图".into()),
            Space::Share,
            Space::Datasets,
            Space::Dataset("d".into()),
            Space::Top,
        ] {
            assert_eq!(space_of(&space_text(&space)), space);
        }
    }
}
