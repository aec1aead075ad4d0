//! `PUT /api/resources{path}`: other content for a file that is there.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use super::upload::{Announced, Destination, put, receive};
use crate::error::{DiskError, DiskResult, done};
use crate::host::Host;
use crate::http::{Content, Member, Target, Validators, blocking, drain};
use crate::jail::{Kind, Meta, VirtualPath};
use crate::permissions::require;
use crate::transfer::Clash;

/// Replaces a file's content, whole or not at all.
#[utoipa::path(
    put, path = "/api/resources/{path}", tag = "resources", operation_id = "replaceResource",
    params(
        ("path" = String, Path, description = "a file, may contain slashes"),
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
        (status = 507, description = "over the quota, or the disk is full"),
    )
)]
pub(super) async fn replace(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    headers: HeaderMap,
    body: Body,
) -> DiskResult<Response> {
    let (announced, to) = match prepare(&host, &member, &path, &headers).await {
        Ok(prepared) => prepared,
        Err(refused) => {
            drain(&headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let received = receive(&host, &to, announced, body).await?;
    let validators = blocking(move || {
        let (entry, _) = host.jail.target(&to.location)?;
        received.store(|staged| put(&host, staged, &entry, Clash::Replace, |there| is_replaceable(there, &headers)))
    })
    .await?;
    let mut response = done();
    validators.write(response.headers_mut());
    Ok(response)
}

async fn prepare(
    host: &Host,
    member: &Member,
    path: &VirtualPath,
    headers: &HeaderMap,
) -> DiskResult<(Announced, Destination)> {
    require(member.may.modify)?;
    if path.is_folder() {
        return Err(DiskError::MethodNotAllowed);
    }
    let location = member.view.writable(path)?;
    if location.fixed {
        return Err(DiskError::MethodNotAllowed);
    }
    let announced = Announced::read(headers)?;
    let quota = member.quota(host, &location.space).await?;
    let to = Destination { location, quota };
    let (host, headers) = (host.clone(), headers.clone());
    blocking(move || {
        let (_, there) = host.jail.target(&to.location)?;
        is_replaceable(there.as_ref(), &headers)?;
        Ok((announced, to))
    })
    .await
}

fn is_replaceable(there: Option<&Meta>, headers: &HeaderMap) -> DiskResult<()> {
    let there = there.ok_or(DiskError::NotFound)?;
    match there.kind {
        Kind::File => Validators::of(there).check_unchanged(headers),
        Kind::Folder => Err(DiskError::MethodNotAllowed),
        Kind::Link | Kind::Special(_) => Err(DiskError::Forbidden),
    }
}
