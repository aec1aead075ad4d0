//! `PUT /api/resources{path}`: other content for a file that is there.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Announced;
use disk_core::reason::Reason;
use futures_util::StreamExt;
use http::HeaderMap;
use http_kit::drain::drain_rest;
use serde::Deserialize;
use utoipa::IntoParams;

use super::encoding::TextEncoding;
use crate::host::Host;
use crate::http::{Content, HttpResult, Member, Parameters, Target, body_error, done, drain};
use crate::intake::{Intake, UploadKind, announcement};
use crate::permissions::require;

/// Text that is put into another encoding is kept in memory meanwhile.
const MAX_TEXT: usize = 10 * 1024 * 1024;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReplaceQuery {
    /// The body is text in UTF-8 of at most 10 MiB, and is stored in this encoding.
    encoding: Option<String>,
}

/// 替换文件的内容
///
/// Replaces a file's content, whole or not at all.
#[utoipa::path(
    put, path = "/api/resources/{path}", tag = "resources", operation_id = "replaceResource",
    params(
        ("path" = String, Path, description = "a file, may contain slashes"),
        ReplaceQuery,
        ("If-Match" = Option<String>, Header, description = "the ETag of the content to be replaced"),
        ("X-Modified" = Option<f64>, Header, description = "when the content was last changed, seconds since 1970"),
    ),
    request_body(content = Content, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "stored", body = String, content_type = "text/plain",
            headers(("ETag" = String, description = "of the new content"))),
        (status = 404, description = "no such file"),
        (status = 405, description = "a folder is there"),
        (status = 412, description = "the content is another by now"),
        (status = 413, description = "too large to be put into another encoding"),
        (status = 423, description = "somebody else has it locked over WebDAV"),
        (status = 507, description = "over the quota, or the disk is full"),
    )
)]
pub(super) async fn replace(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<ReplaceQuery>,
    headers: HeaderMap,
    body: Body,
) -> HttpResult<Response> {
    let admitted = async {
        // People without the right hear only that, whatever else is wrong with their request.
        require(member.may.modify)?;
        let encoding = query.encoding.as_deref().map(TextEncoding::named).transpose()?;
        let mut intake = Intake::admit(&host, &member, &path, UploadKind::Replacement(headers.clone())).await?;
        let announced = announcement(&headers)?;
        if encoding.is_some() {
            // All of the text is read before the intake is opened.
            intake = intake.checked().await?;
        }
        Ok((intake, announced, encoding))
    };
    let (intake, announced, encoding) = match admitted.await {
        Ok(admitted) => admitted,
        Err(refused) => {
            drain(&headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let (announced, body) = match encoding {
        Some(encoding) => encoded(announced, body, encoding).await?,
        None => (announced, body),
    };
    let validators = intake.receive(announced, &headers, body).await?;
    let mut response = done();
    validators.write(response.headers_mut());
    Ok(response)
}

/// The body, which must be text in UTF-8, in another encoding.
async fn encoded(announced: Announced, body: Body, encoding: TextEncoding) -> DiskResult<(Announced, Body)> {
    let mut body = body.into_data_stream();
    let mut text = Vec::new();
    while let Some(chunk) = body.next().await {
        text.extend_from_slice(&chunk.map_err(|error| body_error(&error))?);
        if text.len() > MAX_TEXT {
            drain_rest(body, usize::MAX).await;
            return Err(DiskError::TooLarge);
        }
    }
    blocking(move || {
        let text = String::from_utf8(text).map_err(|_| DiskError::bad_request(Reason::BodyEncoding))?;
        let bytes = encoding.encode(&text)?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok((Announced { length: Some(length), ..announced }, Body::from(bytes)))
    })
    .await
}
