//! `POST /api/tus{path}`: the beginning of an upload.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Announced;
use disk_core::jail::{Location, VirtualPath};
use disk_core::reason::Reason;
use http::{HeaderValue, StatusCode, header};

use super::append::{Piece, add, append};
use super::checksum::Checksum;
use super::concat::{Concat, join};
use super::finish::finish;
use super::protocol::{self, Metadata, UPLOAD_OFFSET};
use super::record::Record;
use super::request::{Call, UploadQuery};
use super::status::status;
use super::terminate::terminate;
use super::upload::Upload;
use crate::http::{Content, HttpResult, Validators, drain};
use crate::intake::{Intake, UploadKind, announcement};

/// 开始分片上传
///
/// Begins an upload. Its first piece may come along.
#[utoipa::path(
    post, path = "/api/tus/{path}", tag = "tus", operation_id = "createUpload",
    params(
        ("path" = String, Path, description = "where the file is to be, may contain slashes; with a slash at the end \
            the folder, and the name stands in `Upload-Metadata`"), UploadQuery,
        ("Upload-Length" = Option<u64>, Header, description = "bytes of the whole file; not for a `final` upload"),
        ("Upload-Metadata" = Option<String>, Header, description = "pairs of a name and a value in Base64; \
            `lastModified` in milliseconds since 1970 becomes the file's time, `filename` or else `name` its name in \
            the folder, below the folders of `relativePath`"),
        ("Upload-Concat" = Option<String>, Header, description = "`partial` for a part, which never becomes a file by \
            itself; `final;` and the parts' addresses, apart by spaces, to join parts that have arrived whole"),
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
pub(super) async fn create(call: Call, body: Body) -> HttpResult<Response> {
    match call.headers.get("x-http-method-override").map(HeaderValue::as_bytes) {
        None | Some(b"POST") => {}
        Some(b"PATCH") => return append(call, body).await,
        Some(b"HEAD") => return status(call).await,
        Some(b"DELETE") => return terminate(call).await,
        Some(_) => return Err(DiskError::MethodNotAllowed.into()),
    }
    let begun = async {
        let request = UploadRequest::read(&call)?;
        if matches!(request.concat, Some(Concat::Final(_))) {
            return join(&call, request).await.map(Beginning::Joined);
        }
        let path = request.path.clone();
        let (intake, record, piece) = prepare(&call, request).await?;
        let (host, location) = (call.host.clone(), intake.target().location.clone());
        let upload = blocking(move || {
            intake.check()?;
            host.uploads.begin(intake.target(), record)
        });
        Ok(Beginning::Open { path, location, upload: upload.await?, piece })
    };
    let (path, location, upload, piece) = match begun.await {
        Ok(Beginning::Open { path, location, upload, piece }) => (path, location, upload, piece),
        Ok(Beginning::Joined(response)) => return Ok(response),
        Err(refused) => {
            drain(&call.headers, body, usize::MAX).await;
            return Err(refused.into());
        }
    };
    let mut validators = None;
    if let Some(piece) = piece {
        validators = add(&call, &upload, location, piece, body).await?;
    } else if upload.is_ready() {
        let turn = upload.try_turn().ok_or(DiskError::Busy)?;
        let by = (call.member.actor.clone(), call.member.may);
        validators = Some(finish(&call.host, &upload, turn, location, by).await?);
    }
    let mut response = created(&call, &path, &upload.id, upload.received());
    match validators {
        Some(validators) => Validators::write(&validators, response.headers_mut()),
        None => protocol::expires(response.headers_mut(), upload.expires()),
    }
    Ok(response)
}

enum Beginning {
    Open {
        path: VirtualPath,
        location: Location,
        upload: Arc<Upload>,
        piece: Option<Piece>,
    },
    /// A final upload, complete already.
    Joined(Response),
}

/// 201 with the upload's URL and offset.
pub(super) fn created(call: &Call, path: &VirtualPath, id: &str, received: u64) -> Response {
    let mut response = StatusCode::CREATED.into_response();
    let headers = response.headers_mut();
    if let Some(address) = call.address(path, id) {
        headers.insert(header::LOCATION, address);
    }
    headers.insert(UPLOAD_OFFSET, received.into());
    response
}

/// The parsed headers of a request that creates an upload.
pub(super) struct UploadRequest {
    /// The file's destination.
    pub(super) path: VirtualPath,
    pub(super) announced: Announced,
    pub(super) metadata: Metadata,
    pub(super) concat: Option<Concat>,
}

impl UploadRequest {
    fn read(call: &Call) -> DiskResult<Self> {
        let announced = announcement(&call.headers)?;
        let metadata = Metadata::read(&call.headers)?;
        let concat = Concat::read(&call.headers)?;
        let path = match concat {
            _ if !call.path.is_folder() => call.path.clone(),
            // A partial upload has no file name; a random one cannot clash.
            Some(Concat::Partial) => call.path.join(&format!("part-{}", uuid::Uuid::new_v4().simple())),
            _ => metadata.path_in(&call.path)?,
        };
        if path.is_folder() {
            return Err(DiskError::bad_request(Reason::IsFolder));
        }
        Ok(Self { path, announced, metadata, concat })
    }
}

/// Checks what can be known without a look at the files; the first piece is there if the body is one.
async fn prepare(call: &Call, request: UploadRequest) -> DiskResult<(Intake, Record, Option<Piece>)> {
    let length = protocol::length(&call.headers)?;
    let piece = match protocol::has_piece(&call.headers)? {
        true => Some(Piece { offset: 0, checksum: Checksum::read(&call.headers)? }),
        false => None,
    };
    if request.announced.length.is_some_and(|piece| piece > length) {
        return Err(DiskError::TooLarge);
    }
    let intake = admit(call, &request.path).await?;
    let record = Record::new(call, intake.target(), length, request);
    Ok((intake, record, piece))
}

/// The intake of an upload to this path.
pub(super) async fn admit(call: &Call, path: &VirtualPath) -> DiskResult<Intake> {
    Intake::admit(&call.host, &call.member, path, UploadKind::New { replace: call.query.r#override }).await
}
