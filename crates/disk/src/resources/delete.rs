//! `DELETE /api/resources{path}`.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::{DiskError, DiskResult, done};
use crate::host::Host;
use crate::http::{Member, Parameters, Target, blocking};
use crate::jail::{Location, sync_folder};
use crate::permissions::require;
use crate::space::Space;

#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeleteQuery {
    /// Delete for good. There is no other way of deleting on this host.
    #[serde(default)]
    #[param(required = false)]
    #[expect(dead_code, reason = "accepted for clients that ask for it; it is what happens anyway")]
    permanent: bool,
}

/// Deletes a file, or a folder with everything in it. A link is deleted itself, never what it
/// leads to.
#[utoipa::path(
    delete, path = "/api/resources/{path}", tag = "resources", operation_id = "deleteResource",
    params(("path" = String, Path, description = "file or folder, may contain slashes"), DeleteQuery),
    responses(
        (status = 200, description = "gone", body = String, content_type = "text/plain"),
        (status = 403, description = "not allowed; the root and the spaces can't be deleted"),
        (status = 404, description = "not there"),
        (status = 423, description = "a file system is mounted there or below"),
    )
)]
pub(super) async fn delete(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    _query: Parameters<DeleteQuery>,
) -> DiskResult<Response> {
    require(member.may.delete)?;
    let location = member.view.writable(&path)?;
    if location.fixed {
        return Err(DiskError::Forbidden);
    }
    blocking(move || remove(&host, &location)).await?;
    Ok(done())
}

/// Takes the entry out of its folder, which is when it is gone, and frees its room.
fn remove(host: &Host, location: &Location) -> DiskResult<()> {
    let entry = host.jail.entry(location)?;
    if host.jail.holds_mounts(&entry)? {
        return Err(DiskError::Busy);
    }
    let area = host.staging.area(&host.jail, &entry.folder, &entry.folder_names)?;
    let freed = area.remove(&entry.folder, &entry.name)?;
    sync_folder(&entry.folder)?;
    host.ledger.add(&location.space, 0, freed);
    if let Some(space) = Space::rooted_at(&location.names) {
        host.ledger.forget(&space);
    }
    Ok(())
}
