//! Looking at entries and folders.

use std::os::unix::ffi::OsStrExt;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::free_bytes;
use disk_core::jail::{Found, Kind, Location, Meta, VirtualPath, entries, is_reserved};
use disk_core::space::Space;
use disk_core::usage::Account;
use disk_core::view::Place;

use super::files::Files;
use super::meta::{Facts, Listed};
use crate::host::Host;
use crate::http::Member;

/// Facts about an entry, links followed.
pub(super) fn facts(files: &Files, path: &VirtualPath) -> DiskResult<Facts> {
    let place = files.member.view.place(path);
    files.member.view.check_made_up(&place)?;
    match place {
        Place::Root | Place::Shelf(_) => Ok(Facts::made_up(files.host.clock.now())),
        Place::At(location) => Ok(Facts::of(&files.jail().find(&location)?.meta)),
        Place::Nowhere => Err(DiskError::NotFound),
    }
}

/// Facts about an entry, links not followed.
pub(super) fn own_facts(files: &Files, path: &VirtualPath) -> DiskResult<Facts> {
    match files.member.view.place(path) {
        Place::At(location) if !location.fixed => {
            let meta = files.jail().entry(&location)?.meta()?;
            Ok(Facts::of(&meta.ok_or(DiskError::NotFound)?))
        }
        _ => facts(files, path),
    }
}

/// The entries of a folder, without those that the rules deny, those whose name cannot be in a path, and broken links.
pub(super) fn list(files: &Files, path: &VirtualPath) -> DiskResult<Vec<Listed>> {
    let view = &files.member.view;
    let made_up = |names: Vec<&str>| {
        let listed = |name: &str| Some(Listed { facts: facts(files, &path.join(name)).ok()?, name: name.to_owned() });
        names.into_iter().filter_map(listed).collect()
    };
    match view.place(path) {
        Place::Root => Ok(made_up(view.root_names())),
        Place::Shelf(shelf) => Ok(made_up(view.names_on(shelf))),
        Place::At(location) => list_real(files, path, &location),
        Place::Nowhere => Err(DiskError::NotFound),
    }
}

fn list_real(files: &Files, path: &VirtualPath, location: &Location) -> DiskResult<Vec<Listed>> {
    let found = files.jail().find(location)?;
    let mut listed = Vec::new();
    for (name, _) in entries(&found.handle)? {
        if is_reserved(name.as_bytes()) || !location.access.allows_in(&found.names, &name) {
            continue;
        }
        let Some(name) = name.to_str() else { continue };
        if let Some(facts) = entry(files, path, &found, name) {
            listed.push(Listed { name: name.to_owned(), facts });
        }
    }
    Ok(listed)
}

fn entry(files: &Files, path: &VirtualPath, folder: &Found, name: &str) -> Option<Facts> {
    let meta = Meta::at(&folder.handle, name).ok()?;
    match meta.kind {
        Kind::File | Kind::Folder => Some(Facts::of(&meta)),
        Kind::Link => facts(files, &path.join(name)).ok(),
        Kind::Special(_) => None,
    }
}

/// Usage and capacity of the space that contains a path; above the spaces, those of the home.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Bytes.
    pub(super) used: u64,
    /// Bytes in use and free together.
    pub(super) total: u64,
}

pub(super) async fn room(host: &Host, member: &Member, path: &VirtualPath) -> DiskResult<Room> {
    let space = match member.view.place(path) {
        Place::At(location) if location.space != Space::Top => location.space,
        _ => member.view.home(),
    };
    let account = member.account(host, &space).await?;
    let account = if member.view.may_see(&account) { account } else { Account::only(space, 0) };
    let host = host.clone();
    blocking(move || {
        let (used, quota) = (host.files.ledger.used_by(&account)?.used, account.quota);
        let free = free_bytes(host.files.jail.root())?;
        let total = if quota > 0 { quota.min(used.saturating_add(free)) } else { used.saturating_add(free) };
        Ok(Room { used, total })
    })
    .await
}
