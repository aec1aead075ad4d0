//! `HEAD /api/tus{path}`: how far an upload has come.

use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::concat::Concat;
use super::finish::finish;
use super::protocol::{self, UPLOAD_LENGTH, UPLOAD_METADATA, UPLOAD_OFFSET};
use super::request::{Call, UploadQuery};
use crate::http::HttpResult;
use crate::permissions::require;

/// 分片上传到了哪里
///
/// How far an upload has come. A piece that is still coming in over another connection is ended.
#[utoipa::path(
    head, path = "/api/tus/{path}", tag = "tus", operation_id = "getUpload",
    params(("path" = String, Path, description = "where the file is to be, may contain slashes"), UploadQuery),
    responses(
        (status = 200, description = "see the headers", headers(
            ("Upload-Offset" = u64), ("Upload-Length" = u64), ("Upload-Expires" = String),
            ("Upload-Metadata" = String, description = "as the client sent it"),
            ("Upload-Concat" = String, description = "as the client sent it"),
        )),
        (status = 404, description = "this person has no such upload"),
        (status = 409, description = "all has arrived, but something has the name by now"),
        (status = 412, description = "another version of tus"),
        (status = 423, description = "busy, or all came and somebody else has the file locked over WebDAV; ask again"),
    )
)]
pub(super) async fn status(call: Call) -> HttpResult<Response> {
    require(call.member.may.create)?;
    let location = call.member.view.writable(&call.path)?;
    let (host, at) = (call.host.clone(), location.clone());
    let (user, id) = (Some(call.member.actor.id), call.query.upload.clone());
    let upload = match blocking(move || host.uploads.find(user, &at, id.as_deref())).await {
        Err(DiskError::NotFound) => return Ok(finished(&call)?),
        other => other?,
    };
    let turn = upload.take_turn().await?;
    if turn.over {
        return Ok(finished(&call)?);
    }
    let mut headers = state(upload.received(), upload.record.length, upload.record.concat.as_ref());
    if upload.is_ready() {
        // The last piece could not be put into place, or the disk stopped just then.
        let by = (call.member.actor.clone(), call.member.may);
        finish(&call.host, &upload, turn, location, by).await?;
    } else {
        protocol::expires(&mut headers, upload.expires());
    }
    if let Ok(metadata) = HeaderValue::from_str(&upload.record.metadata)
        && !metadata.is_empty()
    {
        headers.insert(UPLOAD_METADATA, metadata);
    }
    Ok((StatusCode::OK, headers).into_response())
}

/// For a client that did not get the last answer: all is there.
fn finished(call: &Call) -> DiskResult<Response> {
    let id = call.query.upload.as_deref().ok_or(DiskError::NotFound)?;
    let finished = call.host.uploads.finished(call.member.actor.id, id).ok_or(DiskError::NotFound)?;
    Ok((StatusCode::OK, state(finished.length, finished.length, finished.concat.as_ref())).into_response())
}

fn state(received: u64, length: u64, concat: Option<&Concat>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(concat) = concat {
        concat.write(&mut headers);
    }
    headers.insert(UPLOAD_OFFSET, received.into());
    headers.insert(UPLOAD_LENGTH, length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers
}
