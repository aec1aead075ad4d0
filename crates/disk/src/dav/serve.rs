//! Serves one WebDAV request.

use axum::body::Body;
use axum::extract::{OriginalUri, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use dav_server::DavHandler;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::view::Place;
use http::request::Parts;
use http::{HeaderValue, StatusCode, Uri, header};
use http_kit::{ClientAddress, FileSender, note_route, note_sign_in};

use super::files::Files;
use super::locks::Locks;
use super::request::{Visit, read_xml};
use super::sign_in::sign_in;
use super::{look, page, times};
use crate::host::Host;
use crate::http::{ErrorResponse, Member, STRANGERS_BYTES, body_fault, drain, lend};
use crate::permissions::require;
use crate::raw;
use crate::trail::Watched;

/// Prefix of the quota properties' names.
const QUOTA: &[u8] = b"quota-";

/// An empty `PROPFIND` means `allprop`; the quota is added, as other servers do. `dav-server` spells `include` so.
const ALL_WITH_ROOM: &[u8] = b"<D:propfind xmlns:D=\"DAV:\"><D:allprop/><D:includes><D:quota-available-bytes/>\
    <D:quota-used-bytes/></D:includes></D:propfind>";

/// RFC 4918 9.1: a server may refuse to list whole trees, with this error body.
const FINITE_DEPTH: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
    <D:error xmlns:D=\"DAV:\"><D:propfind-finite-depth/></D:error>\n";

pub(super) async fn serve(
    State(host): State<Host>,
    ClientAddress(address): ClientAddress,
    OriginalUri(original): OriginalUri,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    note_route(&parts.extensions);
    let member = match sign_in(&host, &parts.headers, address).await {
        Ok(member) => {
            note_sign_in(&parts.extensions);
            member
        }
        Err(refused) => {
            drain(&parts.headers, body, STRANGERS_BYTES).await;
            return challenge(refused);
        }
    };
    match answer(&host, member, &original, parts, body).await {
        Ok(response) => response,
        Err(refused) => ErrorResponse::from(refused).into_response(),
    }
}

/// Clients only send a password after such a challenge.
fn challenge(refused: DiskError) -> Response {
    let mut response = ErrorResponse::from(refused).into_response();
    if response.status() == StatusCode::UNAUTHORIZED {
        let basic = HeaderValue::from_static("Basic realm=\"YunLab\", charset=\"UTF-8\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, basic);
    }
    response
}

async fn answer(host: &Host, member: Member, original: &Uri, parts: Parts, body: Body) -> DiskResult<Response> {
    let visit = match Visit::read(&parts, original, &member, &host.origins) {
        Ok(visit) => visit,
        Err(refused) => {
            drain(&parts.headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let watched = Watched::of_dav(&parts, &member, &visit.path, visit.destination.as_ref());
    let response = act(host, member, visit, original, parts, body).await?;
    if let Some(watched) = watched.filter(|watched| watched.is_done(&response)) {
        watched.note(host).await;
    }
    Ok(response)
}

async fn act(
    host: &Host,
    member: Member,
    visit: Visit,
    original: &Uri,
    mut parts: Parts,
    body: Body,
) -> DiskResult<Response> {
    if visit.is("GET") || visit.is("HEAD") {
        return match content(host, &member, visit.path.clone(), &parts).await? {
            Some(response) => Ok(response),
            None => {
                let (files, path) = (Files::new(host.clone(), member, visit.clone(), None), visit.path);
                blocking(move || page::answer(&files, &path)).await
            }
        };
    }
    if visit.asks_for_all(&parts.headers) {
        let kind = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
        return Ok((StatusCode::FORBIDDEN, kind, FINITE_DEPTH).into_response());
    }
    if visit.is("PATCH") {
        // `dav-server` would create a missing file.
        let (files, path) = (Files::new(host.clone(), member.clone(), visit.clone(), None), visit.path.clone());
        let found = blocking(move || look::facts(&files, &path)).await;
        if let Some(refused) = found.map_or_else(Some, |found| found.is_folder().then_some(DiskError::MethodNotAllowed))
        {
            drain(&parts.headers, body, usize::MAX).await;
            return Err(refused);
        }
    }
    let mut room = None;
    let body = match visit.method.as_str() {
        "PROPFIND" => {
            // Absent means infinity, which is refused. Depth 1 is what clients that omit it expect;
            // without the header `dav-server` leaves out the folder itself.
            parts.headers.entry("depth").or_insert(HeaderValue::from_static("1"));
            let mut xml = read_xml(&parts.headers, body).await?;
            if xml.is_empty() && visit.shallow {
                // Only at depth 0: for many entries it would be repeated for each.
                xml = Bytes::from_static(ALL_WITH_ROOM);
            }
            if xml.windows(QUOTA.len()).any(|text| text == QUOTA) {
                room = Some(look::room(host, &member, &visit.path).await?);
            }
            Body::from(xml)
        }
        "PROPPATCH" => {
            let xml = read_xml(&parts.headers, body).await?;
            Body::from(times::privatize(&xml).map_or(xml, Bytes::from))
        }
        "LOCK" => Body::from(read_xml(&parts.headers, body).await?),
        _ => body,
    };
    // With it, `dav-server` would list whole trees after all.
    parts.headers.remove("x-litmus");
    parts.uri = original.clone();
    let principal = member.actor.username.clone();
    let locks = Locks::new(host, &member);
    let files = Files::new(host.clone(), member, visit.clone(), room);
    let handler = DavHandler::builder()
        .strip_prefix(visit.prefix.clone())
        .hide_symlinks(false)
        .locksystem(Box::new(locks))
        .principal(principal)
        .filesystem(Box::new(files.clone()))
        .build_handler();
    let (sent, (body, rest)) = (parts.headers.clone(), lend(body));
    let mut response = handler.handle(Request::from_parts(parts, body)).await.map(Body::new);
    if !response.status().is_success()
        && let Some(fault) = rest.drain(&sent, usize::MAX).await
    {
        // `dav-server` reports any error of reading a body as a gateway's.
        return Err(body_fault(fault));
    }
    if let Some(refused) = files.refusal() {
        return Err(refused);
    }
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private"));
    if visit.modified.is_some() && response.status().is_success() {
        response.headers_mut().insert("x-oc-mtime", HeaderValue::from_static("accepted"));
    }
    Ok(response)
}

/// A file's content, as every other way of downloading answers it; nothing for a folder.
async fn content(host: &Host, member: &Member, path: VirtualPath, parts: &Parts) -> DiskResult<Option<Response>> {
    let Place::At(location) = member.view.place(&path) else { return Ok(None) };
    let (host, may_download) = (host.clone(), member.may.download);
    let (headers, sender) = (parts.headers.clone(), FileSender::of(parts));
    blocking(move || {
        let found = host.files.jail.find(&location)?;
        if found.meta.is_folder() {
            return Ok(None);
        }
        require(may_download)?;
        let source = raw::Source::new(host.files.jail.read_file(&found)?, found.meta).by(sender);
        raw::answer(source, path.name(), true, &headers).map(Some)
    })
    .await
}
