//! Links that were made elsewhere and go on here, under the address that people were sent.

use std::collections::HashSet;

use db_kit::{Sql, Tx};
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Found, Jail, Location, VirtualPath};
use disk_core::view::View;
use kernel::{Timestamp, UserId};

use super::model::{Identity, Share, is_hash, place};
use super::policy::check_sharable;
use super::store;

/// A link of a File Browser.
#[derive(Clone, Debug)]
pub struct ImportedShare {
    /// Names it in addresses, as it did there.
    pub hash: String,
    /// The path of the file or folder in its owner's view here.
    pub path: String,
    /// `None`: never.
    pub expires: Option<Timestamp>,
    /// A hash that [`kernel::is_bcrypt_hash`] accepts; without one the link has no password.
    pub password: Option<String>,
}

/// The outcome for such a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareState {
    /// It is made.
    New,
    /// There is a link of this address.
    Known,
    /// Nothing is there, or not yet.
    Missing,
    /// Its owner may not share, or not this.
    Refused,
    /// Its hash is not valid here.
    BadHash,
}

/// The addresses that there are.
pub(crate) async fn taken_hashes(db: &impl Sql) -> DiskResult<HashSet<String>> {
    Ok(store::hashes(db).await?)
}

/// The link as it is to be stored, bound to the present file or folder. Changes nothing. Blocks.
pub(crate) fn prepare(
    jail: &Jail,
    view: &View,
    (owner_id, owner_name): (UserId, &str),
    share: &ImportedShare,
    now: Timestamp,
) -> DiskResult<Result<Share, ShareState>> {
    if !is_hash(&share.hash) {
        return Ok(Err(ShareState::BadHash));
    }
    let Ok(path) = VirtualPath::from_decoded(&share.path) else { return Ok(Err(ShareState::Refused)) };
    let found = view.existing(&path).and_then(|location| find(jail, location));
    let found = match found {
        Ok(found) => found,
        Err(DiskError::NotFound) => return Ok(Err(ShareState::Missing)),
        Err(DiskError::Forbidden | DiskError::BadRequest(_)) => return Ok(Err(ShareState::Refused)),
        Err(other) => return Err(other),
    };
    Ok(Ok(Share {
        hash: share.hash.clone(),
        owner_id,
        owner_name: owner_name.to_owned(),
        path: path.to_string().trim_end_matches('/').to_owned(),
        place: place(&found.names),
        identity: Identity::of(&found.meta),
        next: None,
        expires: share.expires,
        password: share.password.clone(),
        created: now,
        downloads: 0,
        collection: None,
        views: 0,
        last_visit: None,
    }))
}

fn find(jail: &Jail, location: Location) -> DiskResult<Found> {
    // A home is made at its owner's visit, with the rights of the server.
    let found = jail.find(&Location { make_base: false, ..location })?;
    check_sharable(&found)?;
    Ok(found)
}

/// Stores a link unless its hash is taken; returns whether it was stored.
pub(crate) async fn insert_within(tx: &Tx, share: &Share, taken: &mut HashSet<String>) -> DiskResult<bool> {
    if !taken.insert(share.hash.clone()) {
        return Ok(false);
    }
    store::insert(tx, share).await?;
    Ok(true)
}
