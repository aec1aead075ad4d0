//! `DELETE /api/tus{path}`: abandons an upload.

use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use disk_core::jail::sync_folder;
use http::StatusCode;

use super::request::{Call, UploadQuery};
use crate::http::HttpResult;
use crate::permissions::require;

/// 放弃分片上传
///
/// Drops an unfinished upload with all that has arrived; administrators any user's, by its id.
/// Files in their place are no uploads: this never touches one.
#[utoipa::path(
    delete, path = "/api/tus/{path}", tag = "tus", operation_id = "terminateUpload",
    params(("path" = String, Path, description = "where the file was to be, may contain slashes"), UploadQuery),
    responses(
        (status = 204, description = "gone"),
        (status = 404, description = "this person has no such upload"),
        (status = 412, description = "another version of tus"),
        (status = 423, description = "busy; ask again"),
    )
)]
pub(super) async fn terminate(call: Call) -> HttpResult<Response> {
    require(call.member.may.create)?;
    let location = call.member.view.writable(&call.path)?;
    let (host, actor, id) = (call.host.clone(), &call.member.actor, call.query.upload.clone());
    // Administrators may end other users' uploads by id.
    let user = (!actor.is_admin() || id.is_none()).then_some(actor.id);
    let upload = blocking(move || host.uploads.find(user, &location, id.as_deref())).await?;
    let mut turn = upload.take_turn().await?;
    if turn.over {
        return Err(DiskError::NotFound.into());
    }
    let host = call.host;
    blocking(move || {
        host.uploads.remove(&upload, &mut turn);
        Ok(sync_folder(&upload.area.tus)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
