//! What of a share is to be seen at this moment.

use std::sync::Arc;

use super::model::{Identity, Share, names_of, place};
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Member, blocking};
use crate::jail::{Found, Jail, Kind, Location, VirtualPath};
use crate::permissions::Permissions;

/// 403 for what has no content of its own, 400 for the root of the whole disk.
pub(super) fn check_sharable(found: &Found) -> DiskResult<()> {
    match found.meta.kind {
        _ if found.names.is_empty() => Err(DiskError::bad_request("the root")),
        Kind::File | Kind::Folder => Ok(()),
        Kind::Link | Kind::Special(_) => Err(DiskError::Forbidden),
    }
}

/// Whether what was shared is still where it was, whatever its owner may see at the moment. A disk
/// that fails says nothing. Blocks.
pub(super) fn is_there(jail: &Jail, share: &Share) -> bool {
    match jail.find(&Location::of_true_names(names_of(&share.place))) {
        Ok(found) => share.is_of(&Identity::of(&found.meta)),
        // Forbidden: a link stands in its place.
        Err(DiskError::NotFound | DiskError::Forbidden) => false,
        Err(_) => true,
    }
}

/// A share that somebody may look into.
pub(super) struct Visit {
    /// The owner, whose view is cut down to what is shared and who may only read.
    pub(super) member: Member,
    /// What is shared is called.
    pub(super) name: String,
    pub(super) is_folder: bool,
}

impl Visit {
    /// Opens a share with its owner's present rights. 404 when they are gone, or when what is
    /// there is not what was shared.
    pub(super) async fn open(host: &Host, share: &Share) -> DiskResult<Self> {
        let owner = owner(host, share).await?;
        let path = VirtualPath::from_decoded(&share.path)?;
        let location = owner.view.existing(&path).map_err(|_| DiskError::NotFound)?;
        let (host, share, looking) = (host.clone(), share.clone(), location.clone());
        let found = blocking(move || find(&host, &share, &looking)).await?;
        let name = path.name().to_owned();
        let view = Arc::new(owner.view.narrowed_to(location.space, &found, &name, owner.profile.hide_dotfiles));
        let is_folder = found.meta.is_folder();
        Ok(Self { member: Member { view, may: Permissions::READING, ..owner }, name, is_folder })
    }

    /// Where a visitor's path leads in the view. A shared file is all that there is, whatever the
    /// path says: clients put a name there for saving.
    pub(super) fn path(&self, below: &VirtualPath) -> VirtualPath {
        if self.is_folder { below.clone() } else { VirtualPath::default().join(&self.name) }
    }
}

async fn owner(host: &Host, share: &Share) -> DiskResult<Member> {
    let member = Member::in_name_of(host, share.owner_id).await?;
    if member.may.share && member.may.download { Ok(member) } else { Err(DiskError::NotFound) }
}

fn find(host: &Host, share: &Share, location: &Location) -> DiskResult<Found> {
    let found = match host.jail.find(location) {
        Err(DiskError::Forbidden | DiskError::BadRequest(_)) => return Err(DiskError::NotFound),
        found => found?,
    };
    check_sharable(&found).map_err(|_| DiskError::NotFound)?;
    let same = place(&found.names) == share.place && share.is_of(&Identity::of(&found.meta));
    if same { Ok(found) } else { Err(DiskError::NotFound) }
}
