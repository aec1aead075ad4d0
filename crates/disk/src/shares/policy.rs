//! The present view of a share's visitors.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Found, Jail, Kind, Location, VirtualPath};
use disk_core::reason::Reason;

use super::model::{Identity, Share, names_of, place};
use crate::host::Host;
use crate::http::Member;
use crate::permissions::Permissions;

/// 403 for special files, 400 for the root of the whole disk.
pub(super) fn check_sharable(found: &Found) -> DiskResult<()> {
    match found.meta.kind {
        _ if found.names.is_empty() => Err(DiskError::bad_request(Reason::IsRoot)),
        Kind::File | Kind::Folder => Ok(()),
        Kind::Link | Kind::Special(_) => Err(DiskError::Forbidden),
    }
}

/// Whether the shared entry still exists in its place, whatever its owner may see now. A failure of the disk counts as
/// existing. Blocks.
pub(super) fn is_there(jail: &Jail, share: &Share) -> bool {
    match jail.find(&Location::of_true_names(names_of(&share.place))) {
        Ok(found) => share.is_of(&Identity::of(&found.meta)),
        // Forbidden: a link has taken its place.
        Err(DiskError::NotFound | DiskError::Forbidden) => false,
        Err(_) => true,
    }
}

/// A share that a visitor may open.
pub(super) struct Visit {
    /// The owner, with a view that is reduced to the shared entry, and with permissions only to read it, or to add files
    /// to it.
    pub(super) member: Member,
    /// Name of the shared entry.
    pub(super) name: String,
    pub(super) is_folder: bool,
}

impl Visit {
    /// Opens a share with its owner's present permissions. 404 when they are gone, or when another entry has taken its
    /// place.
    pub(super) async fn open(host: &Host, share: &Share) -> DiskResult<Self> {
        let owner = owner(host, share).await?;
        let path = VirtualPath::from_decoded(&share.path)?;
        let collects = share.collection.is_some();
        let location = if collects { owner.view.writable(&path) } else { owner.view.existing(&path) };
        let location = location.map_err(|_| DiskError::NotFound)?;
        let (jail, share, looking) = (Arc::clone(&host.files.jail), share.clone(), location.clone());
        let found = blocking(move || find(&jail, &share, &looking)).await?;
        let name = path.name().to_owned();
        let is_folder = found.meta.is_folder();
        let (view, may) = if collects {
            (owner.view.collecting_in(location.space, &found), Permissions::COLLECTING)
        } else {
            let view = owner.view.narrowed_to(location.space, &found, &name, owner.profile.hide_dotfiles);
            (view, Permissions::READING)
        };
        Ok(Self { member: Member { view: Arc::new(view), may, ..owner }, name, is_folder })
    }

    /// The path in the view for a visitor's path. For a shared file the visitor's path is ignored: clients append a
    /// name for saving.
    pub(super) fn path(&self, below: &VirtualPath) -> VirtualPath {
        if self.is_folder { below.clone() } else { VirtualPath::default().join(&self.name) }
    }
}

async fn owner(host: &Host, share: &Share) -> DiskResult<Member> {
    let member = Member::in_name_of(host, share.owner_id).await?;
    let may = if share.collection.is_some() { member.may.create } else { member.may.download };
    if member.may.share && may { Ok(member) } else { Err(DiskError::NotFound) }
}

fn find(jail: &Jail, share: &Share, location: &Location) -> DiskResult<Found> {
    let found = match jail.find(location) {
        Err(DiskError::Forbidden | DiskError::BadRequest(_)) => return Err(DiskError::NotFound),
        found => found?,
    };
    check_sharable(&found).map_err(|_| DiskError::NotFound)?;
    let same = place(&found.names) == share.place && share.is_of(&Identity::of(&found.meta));
    if same { Ok(found) } else { Err(DiskError::NotFound) }
}
