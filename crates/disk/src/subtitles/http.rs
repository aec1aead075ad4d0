//! `GET /api/subtitle{path}`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Location};
use disk_core::reason::Reason;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_kit::{Routes, routes};
use tokio::sync::Semaphore;

use super::Kind;
use super::convert::to_vtt;
use crate::host::Host;
use crate::http::{HttpResult, Member, Target, Validators, subtree};
use crate::permissions::require;
use crate::raw::CONTENT_POLICY;
use crate::resources::{TextEncoding, decode};

/// No subtitles are so large; they are converted in memory (GHSA-448h).
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Converted at once; others wait.
static ROOM: Semaphore = Semaphore::const_new(4);

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/subtitle", routes!(subtitle))
}

/// 字幕（WebVTT）
///
/// Subtitles as WebVTT: vtt, srt, ass and ssa files, in whatever encoding.
#[utoipa::path(
    get, path = "/api/subtitle/{path}", tag = "raw", operation_id = "getSubtitle",
    params(("path" = String, Path, description = "a file, may contain slashes")),
    responses(
        (status = 200, description = "WebVTT in UTF-8", body = String, content_type = "text/vtt"),
        (status = 304, description = "the client has this already"),
        (status = 400, description = "no subtitles by its name, or no text"),
        (status = 404, description = "not there, or not in the viewer's view"),
        (status = 413, description = "larger than 8 MiB"),
    )
)]
async fn subtitle(
    State(jail): State<Arc<Jail>>,
    member: Member,
    Target(path): Target,
    headers: HeaderMap,
) -> HttpResult<Response> {
    require(member.may.download)?;
    let location = member.view.existing(&path)?;
    let kind = Kind::of(path.name());
    let _room = ROOM.acquire().await.map_err(DiskError::internal)?;
    Ok(blocking(move || answer(&jail, &location, kind, &headers)).await?)
}

fn answer(jail: &Jail, location: &Location, kind: Option<Kind>, headers: &HeaderMap) -> DiskResult<Response> {
    let found = jail.find(location)?;
    let mut file = jail.read_file(&found)?;
    let kind = kind.ok_or_else(|| DiskError::bad_request(Reason::NoSubtitles))?;
    if found.meta.size > MAX_BYTES {
        return Err(DiskError::TooLarge);
    }
    let validators = Validators::of(&found.meta);
    let mut response = if validators.is_known(headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let encoding = TextEncoding::of(&mut file)?.ok_or_else(|| DiskError::bad_request(Reason::NotText))?;
        let mut text = String::new();
        decode(&mut file, encoding, |piece| {
            text.push_str(piece);
            Ok(())
        })?;
        to_vtt(kind, &text).into_response()
    };
    validators.write(response.headers_mut());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/vtt; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
