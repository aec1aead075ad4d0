//! One request.

use axum::body::Body;
use axum::extract::{OriginalUri, Request, State};
use axum::response::{IntoResponse, Response};
use dav_server::DavHandler;
use http::request::Parts;
use http::{HeaderValue, StatusCode, Uri, header};
use http_kit::{ClientAddress, FileSender, note_route};

use super::files::Files;
use super::locks::Locks;
use super::request::{Visit, read_xml};
use super::sign_in::sign_in;
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Member, STRANGERS_BYTES, blocking, drain, lend};
use crate::jail::VirtualPath;
use crate::permissions::require;
use crate::raw;
use crate::view::Place;

/// RFC 4918 9.1: a server may refuse to list whole trees, if it says so in these words.
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
        Ok(member) => member,
        Err(refused) => {
            drain(&parts.headers, body, STRANGERS_BYTES).await;
            return challenge(refused);
        }
    };
    match answer(&host, member, &original, parts, body).await {
        Ok(response) => response,
        Err(refused) => refused.into_response(),
    }
}

/// Clients ask for a password only when they are asked for one in this way.
fn challenge(refused: DiskError) -> Response {
    let mut response = refused.into_response();
    if response.status() == StatusCode::UNAUTHORIZED {
        let basic = HeaderValue::from_static("Basic realm=\"YunLab\", charset=\"UTF-8\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, basic);
    }
    response
}

async fn answer(host: &Host, member: Member, original: &Uri, mut parts: Parts, body: Body) -> DiskResult<Response> {
    let visit = match Visit::read(&parts, original, &member, &host.origins) {
        Ok(visit) => visit,
        Err(refused) => {
            drain(&parts.headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    if (visit.is("GET") || visit.is("HEAD"))
        && let Some(response) = content(host, &member, visit.path.clone(), &parts).await?
    {
        return Ok(response);
    }
    if visit.asks_for_all(&parts.headers) {
        let kind = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
        return Ok((StatusCode::FORBIDDEN, kind, FINITE_DEPTH).into_response());
    }
    let body =
        if matches!(visit.method.as_str(), "PROPFIND" | "PROPPATCH" | "LOCK") { read_xml(body).await? } else { body };
    // With it, `dav-server` would list whole trees after all.
    parts.headers.remove("x-litmus");
    parts.uri = original.clone();
    let principal = member.actor.username.clone();
    let locks = Locks::new(host, &member);
    let handler = DavHandler::builder()
        .strip_prefix(visit.prefix.clone())
        .hide_symlinks(false)
        .locksystem(Box::new(locks))
        .principal(principal)
        .filesystem(Box::new(Files::new(host.clone(), member, visit.clone())))
        .build_handler();
    let (sent, (body, rest)) = (parts.headers.clone(), lend(body));
    let mut response = handler.handle(Request::from_parts(parts, body)).await.map(Body::new);
    if !response.status().is_success()
        && let Some(fault) = rest.drain(&sent, usize::MAX).await
    {
        // Of reading a body `dav-server` knows one error only, as if it had been a gateway's.
        return Err(fault.into());
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
        let found = host.jail.find(&location)?;
        if found.meta.is_folder() {
            return Ok(None);
        }
        require(may_download)?;
        let source = raw::Source::new(host.jail.read_file(&found)?, found.meta).by(sender);
        raw::answer(source, path.name(), true, &headers).map(Some)
    })
    .await
}
