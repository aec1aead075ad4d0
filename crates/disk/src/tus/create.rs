//! `POST /api/tus{path}`: the beginning of an upload.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use super::append::{Piece, add, append};
use super::checksum::Checksum;
use super::finish::finish;
use super::protocol::{self, Metadata, UPLOAD_OFFSET};
use super::record::Record;
use super::request::{Call, UploadQuery};
use super::status::status;
use super::terminate::terminate;
use crate::error::{DiskError, DiskResult};
use crate::http::{Content, Validators, blocking, drain};
use crate::resources::{Announced, Destination, admit};

/// Begins an upload. Its first piece may come along.
#[utoipa::path(
    post, path = "/api/tus/{path}", tag = "tus", operation_id = "createUpload",
    params(
        ("path" = String, Path, description = "where the file is to be, may contain slashes"), UploadQuery,
        ("Upload-Length" = u64, Header, description = "bytes of the whole file"),
        ("Upload-Metadata" = Option<String>, Header, description = "pairs of a name and a value in Base64; \
            `lastModified` in milliseconds since 1970 becomes the file's time"),
        ("X-Modified" = Option<f64>, Header, description = "when the content was last changed, seconds since 1970"),
        ("X-HTTP-Method-Override" = Option<String>, Header, description = "the verb that is meant"),
    ),
    request_body(content = Option<Content>, content_type = "application/offset+octet-stream"),
    responses(
        (status = 201, description = "begun", headers(
            ("Location" = String, description = "the upload's own address"),
            ("Upload-Offset" = u64), ("Upload-Expires" = String),
            ("ETag" = String, description = "of the file, when it is in its place already"),
        )),
        (status = 409, description = "something has this name, or a folder is there"),
        (status = 412, description = "another version of tus"),
        (status = 413, description = "longer than announced, or than files can be"),
        (status = 415, description = "the body is not a piece of a file"),
        (status = 423, description = "somebody else has it locked over WebDAV"),
        (status = 460, description = "the piece is not what was sent"),
        (status = 507, description = "over the quota, or the disk is full"),
    )
)]
pub(super) async fn create(call: Call, body: Body) -> DiskResult<Response> {
    match call.headers.get("x-http-method-override").map(HeaderValue::as_bytes) {
        None | Some(b"POST") => {}
        Some(b"PATCH") => return append(call, body).await,
        Some(b"HEAD") => return status(call).await,
        Some(b"DELETE") => return terminate(call).await,
        Some(_) => return Err(DiskError::MethodNotAllowed),
    }
    let begun = async {
        let (to, record, piece) = prepare(&call).await?;
        let (host, at) = (call.host.clone(), to.clone());
        let upload = blocking(move || host.uploads.begin(&host, &at, record)).await?;
        Ok((to, upload, piece))
    };
    let (to, upload, piece) = match begun.await {
        Ok(begun) => begun,
        Err(refused) => {
            drain(&call.headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let mut validators = None;
    if let Some(piece) = piece {
        validators = add(&call, &upload, to.location, piece, body).await?;
    } else if upload.is_whole() {
        let turn = upload.try_turn().ok_or(DiskError::Busy)?;
        let by = (call.member.actor.clone(), call.member.may);
        validators = Some(finish(&call.host, &upload, turn, to.location, by).await?);
    }
    let mut response = StatusCode::CREATED.into_response();
    let headers = response.headers_mut();
    if let Some(address) = call.address(&upload) {
        headers.insert(header::LOCATION, address);
    }
    headers.insert(UPLOAD_OFFSET, upload.received().into());
    match validators {
        Some(validators) => Validators::write(&validators, headers),
        None => protocol::expires(headers, upload.expires()),
    }
    Ok(response)
}

/// Where it goes, what is written down of it, and its first piece, if one comes.
async fn prepare(call: &Call) -> DiskResult<(Destination, Record, Option<Piece>)> {
    if call.path.is_folder() {
        return Err(DiskError::bad_request("is a folder"));
    }
    let length = protocol::length(&call.headers)?;
    let metadata = Metadata::read(&call.headers)?;
    let announced = Announced::read(&call.headers)?;
    let piece = match protocol::has_piece(&call.headers)? {
        true => Some(Piece { offset: 0, checksum: Checksum::read(&call.headers)? }),
        false => None,
    };
    if announced.length.is_some_and(|piece| piece > length) {
        return Err(DiskError::TooLarge);
    }
    let to = admit(&call.host, &call.member, &call.path, call.query.r#override).await?;
    let modified = announced.modified.or(metadata.modified);
    let record = Record {
        user: call.member.actor.id,
        names: to.location.names.clone(),
        space: to.location.space.clone(),
        length,
        replace: call.query.r#override,
        modified: modified.map(|at| (at.tv_sec, at.tv_nsec)),
        metadata: metadata.text,
    };
    Ok((to, record, piece))
}
