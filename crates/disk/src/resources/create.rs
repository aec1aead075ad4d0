//! `POST /api/resources{path}`: a new folder, or a file with the body as its content.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::intake::{Staged, Stored, UploadTarget, put};
use disk_core::jail::{Entry, Jail, Location, Meta, VirtualPath};
use disk_core::reason::Reason;
use disk_core::transfer::Clash;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::IntoParams;

use super::upload::{announcement, receive};
use crate::host::Host;
use crate::http::{Content, HttpResult, Member, Parameters, Target, done, drain};
use crate::permissions::{Permissions, require};

#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CreateQuery {
    /// Replace a file that is there; without it that is 409.
    #[serde(default)]
    #[param(required = false)]
    r#override: bool,
}

/// 新建文件夹，或上传文件
///
/// Makes a folder with its parents when the path ends with a slash; else stores the body as a
/// file, which appears whole or not at all.
#[utoipa::path(
    post, path = "/api/resources/{path}", tag = "resources", operation_id = "createResource",
    params(
        ("path" = String, Path, description = "a folder when it ends with a slash; may contain slashes"), CreateQuery,
        ("X-Modified" = Option<f64>, Header, description = "when the content was last changed, seconds since 1970"),
    ),
    request_body(content = Option<Content>, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "stored, or the folder is there", body = String, content_type = "text/plain",
            headers(("ETag" = String, description = "files only"))),
        (status = 409, description = "something has this name, or a folder is there"),
        (status = 413, description = "more than announced"),
        (status = 423, description = "somebody else has it locked over WebDAV"),
        (status = 507, description = "over the quota, or the disk is full"),
    )
)]
pub(super) async fn create(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<CreateQuery>,
    headers: HeaderMap,
    body: Body,
) -> HttpResult<Response> {
    if path.is_folder() {
        return Ok(make_folder(host, member, path).await?);
    }
    let admitted = async {
        let announced = announcement(&headers)?;
        Ok((announced, admit(&host, &member, &path, query.r#override).await?))
    };
    let (announced, to) = match admitted.await {
        Ok(admitted) => admitted,
        Err(refused) => {
            drain(&headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let (files, at) = (Arc::clone(&host.files), to.location.clone());
    let put = move |staged: &Staged<'_>| store(&files, &at, query.r#override, member.may, staged);
    let validators = receive(&host.files, &to, announced, &headers, body, put).await?;
    let mut response = done();
    validators.write(response.headers_mut());
    Ok(response)
}

async fn make_folder(host: Host, member: Member, path: VirtualPath) -> DiskResult<Response> {
    require(member.may.create)?;
    let location = member.view.writable(&path)?;
    host.refuse_locked(&location, &member.actor, false)?;
    blocking(move || host.files.jail.make_folders(&location).map(drop)).await?;
    Ok(done())
}

/// All checks that are possible before a new file's content arrives.
pub(crate) async fn admit(host: &Host, member: &Member, path: &VirtualPath, replace: bool) -> DiskResult<UploadTarget> {
    require(member.may.create)?;
    let location = member.view.writable(path)?;
    if location.fixed {
        return Err(DiskError::conflict(Reason::FolderThere));
    }
    host.refuse_locked(&location, &member.actor, false)?;
    let allowance = member.allowance(host, &location.space).await?;
    let to = UploadTarget { location, allowance };
    let (jail, may) = (Arc::clone(&host.files.jail), member.may);
    blocking(move || {
        let there = match jail.target(&to.location) {
            Ok((_, there)) => there,
            Err(DiskError::NotFound) => {
                jail.landing(&to.location)?;
                None
            }
            Err(error) => return Err(error),
        };
        may_take(there.as_ref(), replace, may)?;
        Ok(to)
    })
    .await
}

/// Puts a new file's content into its place, its folders made where they are missing.
pub(crate) fn store(
    files: &FileStore,
    location: &Location,
    replace: bool,
    may: Permissions,
    staged: &Staged<'_>,
) -> DiskResult<Stored> {
    let entry = target(&files.jail, location)?;
    let clash = if replace { Clash::Replace } else { Clash::Refuse };
    put(files, staged, &entry, clash, |there| may_take(there, replace, may))
}

fn may_take(there: Option<&Meta>, replace: bool, may: Permissions) -> DiskResult<()> {
    match there {
        None => Ok(()),
        Some(there) if there.is_folder() => Err(DiskError::conflict(Reason::FolderThere)),
        Some(_) if !replace => Err(DiskError::conflict(Reason::Exists)),
        Some(_) => require(may.modify),
    }
}

/// The entry to write to, its folder made where it is missing.
fn target(jail: &Jail, location: &Location) -> DiskResult<Entry> {
    match jail.target(location) {
        Ok((entry, _)) => Ok(entry),
        Err(DiskError::NotFound) => {
            jail.make_folders(&location.parent())?;
            Ok(jail.target(location)?.0)
        }
        Err(error) => Err(error),
    }
}
