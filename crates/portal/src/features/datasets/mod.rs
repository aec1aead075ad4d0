//! Datasets: folders of the network disk that users share for computing, with labels and versions.
//!
//! A row holds a dataset's owner and visibility. The disk holds its folder, enforces the visibility, and carries out
//! the chores of the rows ([`chores`]): creating, measuring, versioning and removing the folder. The content counts to
//! the owner's disk quota ([`owners`]). Instances mount datasets read-only at `/datasets/<name>`.

mod access;
mod chores;
mod form;
mod http;
mod http_labels;
mod http_versions;
mod leaving;
mod limits;
mod model;
mod owners;
mod person;
mod policy;
mod store;
mod store_chores;
mod store_find;
mod store_folders;
mod store_labels;
mod store_limits;
mod store_owners;
mod store_uses;
mod store_versions;
mod view;

use std::sync::Arc;

use http_kit::Routes;
use kernel::{Person, UserId};

use crate::Portal;
use crate::recent::Recent;

pub(crate) use access::{Mountable, Mounter, mountable, note_use};
pub(crate) use chores::{Chores, JOB_KIND};
pub(crate) use leaving::{Removal, hand_over, held_by, remove};
pub use owners::{DatasetHolder, FolderHolder, QuotaHolders};
pub(crate) use store_find::find;
pub(crate) use store_uses::{end_uses, forget_uses};

pub(crate) fn routes() -> Routes<Portal> {
    http::routes().merge(http_versions::routes()).merge(http_labels::routes())
}

impl Portal {
    /// The pending chores of the disk for datasets.
    fn chores(&self) -> &Chores {
        self.part()
    }

    fn recent_people(&self) -> &Recent<UserId, Arc<Person>> {
        self.part()
    }
}
