//! `DELETE /api/resources{path}`.

use std::ffi::OsStr;

use axum::extract::State;
use axum::response::Response;
use kernel::Actor;
use rustix::fd::OwnedFd;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::blocking::blocking;
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, Target, done};
use crate::jail::{Entry, Location, sync_folder};
use crate::permissions::require;
use crate::space::Space;
use crate::trash::Deletion;
use crate::usage::extent;

#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeleteQuery {
    /// Delete for good, past the trash.
    #[serde(default)]
    #[param(required = false)]
    permanent: bool,
}

/// 删除
///
/// Deletes a file, or a folder with everything in it, into the trash unless that is switched
/// off. A link is deleted itself, never what it leads to.
#[utoipa::path(
    delete, path = "/api/resources/{path}", tag = "resources", operation_id = "deleteResource",
    params(("path" = String, Path, description = "file or folder, may contain slashes"), DeleteQuery),
    responses(
        (status = 200, description = "gone", body = String, content_type = "text/plain"),
        (status = 403, description = "not allowed; the root and the spaces can't be deleted"),
        (status = 404, description = "not there"),
        (status = 423, description = "a file system is mounted there or below, or somebody else has it locked over WebDAV"),
    )
)]
pub(super) async fn delete(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<DeleteQuery>,
) -> HttpResult<Response> {
    require(member.may.delete)?;
    let location = member.view.writable(&path)?;
    if location.fixed {
        return Err(DiskError::Forbidden.into());
    }
    host.refuse_locked(&location, &member.actor, true)?;
    let keep = member.settings.trash_days > 0 && !query.permanent;
    blocking(move || remove(&host, &location, keep.then_some(&member.actor))).await?;
    Ok(done())
}

/// Removes the entry from its folder, at which moment it is deleted: into the trash when the actor is known, otherwise
/// permanently. All deletions go through here.
pub(crate) fn remove(host: &Host, location: &Location, by: Option<&Actor>) -> DiskResult<()> {
    let entry = host.jail.entry(location)?;
    entry.meta()?.ok_or(DiskError::NotFound)?;
    host.jail.check_tree(&location.access, &entry, None)?;
    if host.jail.holds_mounts(&entry)? {
        return Err(DiskError::Busy);
    }
    take_away(host, &entry, (&entry.folder, &entry.name), location, by)
}

/// Removes a replaced entry from its new location.
pub(crate) fn take_away(
    host: &Host,
    entry: &Entry,
    (folder, name): (&OwnedFd, &OsStr),
    location: &Location,
    by: Option<&Actor>,
) -> DiskResult<()> {
    let freed = match by {
        Some(by) => {
            let extent = extent(folder, name, host.ledger.stop_flag())?;
            let home_owner = match &location.space {
                Space::Home(name) => host.homes.owner_of(name)?,
                _ => None,
            };
            host.trash.put(entry, (folder, name), &Deletion { by, location, home_owner, extent })?;
            extent.used
        }
        None => {
            let area = host.staging.area(&host.jail, &entry.folder, &entry.folder_names)?;
            let freed = area.remove(folder, name)?;
            sync_folder(folder)?;
            freed
        }
    };
    host.shares.ended(&entry.names());
    host.ledger.add(&location.space, 0, freed);
    if let Some(space) = Space::rooted_at(&location.names) {
        host.ledger.forget(&space);
    }
    Ok(())
}
