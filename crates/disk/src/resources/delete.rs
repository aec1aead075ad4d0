//! `DELETE /api/resources{path}`.

use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, Target, done};
use crate::permissions::require;

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
    blocking(move || host.files.remove(&location, keep.then_some(&member.actor))).await?;
    Ok(done())
}
