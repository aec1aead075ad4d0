//! The answer with a file's content.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use disk_core::error::{DiskError, DiskResult};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::disposition::disposition;
use super::range::{Wanted, parse};
use super::stream::{Piece, Source, body, length};
use crate::http::Validators;

/// Uploaded pages run nothing, load nothing and belong to no origin; pictures, sound and film
/// show.
pub(crate) const CONTENT_POLICY: &str =
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'";

/// The whole file or the requested parts.
pub(crate) fn answer(source: Source, name: &str, inline: bool, headers: &HeaderMap) -> DiskResult<Response> {
    let size = source.meta.size;
    let validators = Validators::of(&source.meta);
    validators.check_unchanged(headers)?;
    if validators.is_known(headers) {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        describe(response.headers_mut(), &validators);
        return Ok(response);
    }
    let kind = content_type(name);
    let wanted = match headers.get(header::RANGE).and_then(|range| range.to_str().ok()) {
        Some(range) if validators.fits_range(headers) => parse(range, size),
        _ => Wanted::Whole,
    };
    let mut response = match wanted {
        Wanted::Nothing => return Err(DiskError::RangeNotSatisfiable(size)),
        Wanted::Whole => with(source, vec![Piece::Part(0, size)], &kind)?,
        Wanted::Parts(parts) => match parts[..] {
            [(first, last)] => {
                let mut response = with(source, vec![Piece::Part(first, last - first + 1)], &kind)?;
                insert(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes {first}-{last}/{size}"));
                partial(response)
            }
            ref parts => partial(several(source, parts, &kind, size)?),
        },
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_DISPOSITION, disposition(name, inline));
    out.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    describe(out, &validators);
    Ok(response)
}

fn describe(headers: &mut HeaderMap, validators: &Validators) {
    validators.write(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

fn with(source: Source, pieces: Vec<Piece>, kind: &str) -> DiskResult<Response> {
    let total: u64 = pieces.iter().map(length).sum();
    let mut response = body(source, pieces)?.into_response();
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(total));
    insert(response.headers_mut(), header::CONTENT_TYPE, kind);
    Ok(response)
}

fn partial(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    response
}

/// `multipart/byteranges`.
fn several(source: Source, parts: &[(u64, u64)], kind: &str, size: u64) -> DiskResult<Response> {
    let boundary = uuid::Uuid::new_v4().simple().to_string();
    let mut pieces = Vec::new();
    for (first, last) in parts {
        let head =
            format!("\r\n--{boundary}\r\nContent-Type: {kind}\r\nContent-Range: bytes {first}-{last}/{size}\r\n\r\n");
        pieces.push(Piece::Text(Bytes::from(head)));
        pieces.push(Piece::Part(*first, last - first + 1));
    }
    pieces.push(Piece::Text(Bytes::from(format!("\r\n--{boundary}--\r\n"))));
    with(source, pieces, &format!("multipart/byteranges; boundary={boundary}"))
}

fn content_type(name: &str) -> Cow<'static, str> {
    let kind = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
    // A page of the portal could be made to run a script of its own origin, but no text.
    let kind = if is_script(kind) { "text/plain" } else { kind };
    let text = kind.starts_with("text/") || kind.ends_with("/json");
    if text { format!("{kind}; charset=utf-8").into() } else { kind.into() }
}

/// Types that browsers execute.
fn is_script(kind: &str) -> bool {
    let name = kind.rsplit('/').next().unwrap_or_default().trim_start_matches("x-");
    matches!(name, "javascript" | "ecmascript" | "jscript" | "livescript" | "wasm")
}

fn insert(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
