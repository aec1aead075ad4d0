//! `PATCH /api/tus{path}`: a piece of an upload.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Location;
use disk_core::reason::Reason;
use http::StatusCode;
use tracing::Instrument;

use super::arriving::Arrival;
use super::checksum::Checksum;
use super::finish::finish;
use super::protocol::{self, UPLOAD_OFFSET};
use super::request::{Call, UploadQuery};
use super::upload::Upload;
use crate::http::{Content, HttpResult, Validators, drain};
use crate::intake::announcement;
use crate::permissions::require;

/// 上传一片
///
/// Adds a piece to an upload, durable when it is answered; the last one makes the file appear.
#[utoipa::path(
    patch, path = "/api/tus/{path}", tag = "tus", operation_id = "appendUpload",
    params(
        ("path" = String, Path, description = "where the file is to be, may contain slashes"), UploadQuery,
        ("Upload-Offset" = u64, Header, description = "bytes that came before"),
        ("Upload-Checksum" = Option<String>, Header, description = "sha1, sha256 or md5 and the digest in Base64"),
    ),
    request_body(content = Content, content_type = "application/offset+octet-stream"),
    responses(
        (status = 204, description = "added", headers(
            ("Upload-Offset" = u64), ("Upload-Expires" = String),
            ("ETag" = String, description = "of the file, when it is in its place"),
        )),
        (status = 403, description = "may not, or it was joined from parts"),
        (status = 404, description = "this person has no such upload"),
        (status = 409, description = "not the offset that comes next, or another piece is coming in"),
        (status = 412, description = "another version of tus"),
        (status = 413, description = "more than announced; what was announced is kept"),
        (status = 415, description = "the body is not a piece of a file"),
        (status = 423, description = "all came, and somebody else has the file locked over WebDAV; ask again"),
        (status = 460, description = "the piece is not what was sent, and is dropped"),
        (status = 507, description = "the disk is full"),
    )
)]
pub(super) async fn append(call: Call, body: Body) -> HttpResult<Response> {
    let (upload, location, piece) = match prepare(&call).await {
        Ok(prepared) => prepared,
        Err(refused) => {
            drain(&call.headers, body, usize::MAX).await;
            return Err(refused.into());
        }
    };
    let validators = add(&call, &upload, location, piece, body).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(UPLOAD_OFFSET, upload.received().into());
    match validators {
        Some(validators) => Validators::write(&validators, headers),
        None => protocol::expires(headers, upload.expires()),
    }
    Ok(response)
}

/// The headers of a piece.
pub(super) struct Piece {
    /// Bytes received before it.
    pub(super) offset: u64,
    pub(super) checksum: Option<Checksum>,
}

async fn prepare(call: &Call) -> DiskResult<(Arc<Upload>, Location, Piece)> {
    require(call.member.may.create)?;
    if !protocol::has_piece(&call.headers)? {
        return Err(DiskError::UnsupportedMediaType);
    }
    let offset = protocol::offset(&call.headers)?;
    let checksum = Checksum::read(&call.headers)?;
    let announced = announcement(&call.headers)?;
    let location = call.member.view.writable(&call.path)?;
    let (host, at) = (call.host.clone(), location.clone());
    let (user, id) = (Some(call.member.actor.id), call.query.upload.clone());
    let upload = blocking(move || {
        // A joined upload accepts no further pieces.
        let is_joined =
            |id: &str| user.is_some_and(|user| host.uploads.finished(user, id).is_some_and(|it| it.is_joined()));
        match host.uploads.find(user, &at, id.as_deref()) {
            Err(DiskError::NotFound) if id.as_deref().is_some_and(is_joined) => Err(DiskError::Forbidden),
            other => other,
        }
    })
    .await?;
    if offset != upload.received() {
        return Err(wrong_offset());
    }
    if announced.length.is_some_and(|piece| piece > upload.missing()) {
        return Err(DiskError::TooLarge);
    }
    Ok((upload, location, Piece { offset, checksum }))
}

fn wrong_offset() -> DiskError {
    DiskError::conflict(Reason::WrongOffset)
}

/// Receives a piece, and puts the file into its place after the last one. Of several concurrent pieces one is accepted.
pub(super) async fn add(
    call: &Call,
    upload: &Arc<Upload>,
    location: Location,
    piece: Piece,
    body: Body,
) -> DiskResult<Option<Validators>> {
    let Some(turn) = upload.try_turn().filter(|turn| !turn.over && upload.received() == piece.offset) else {
        drain(&call.headers, body, usize::MAX).await;
        return Err(wrong_offset());
    };
    let (host, upload) = (call.host.clone(), Arc::clone(upload));
    let by = (call.member.actor.clone(), call.member.may);
    let arrival = Arrival { host: host.clone(), upload: Arc::clone(&upload), turn, checksum: piece.checksum };
    // Runs to its end when the client goes away, so that received bytes are kept.
    let task = async move {
        let turn = arrival.take_in(body).await?;
        if !upload.is_ready() {
            return Ok(None);
        }
        finish(&host, &upload, turn, location, by).await.map(Some)
    };
    tokio::spawn(task.in_current_span()).await.map_err(DiskError::internal)?
}
