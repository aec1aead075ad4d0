//! `POST /api/resources{path}`: a new folder, or a file with the body as its content.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::jail::VirtualPath;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::host::Host;
use crate::http::{Content, HttpResult, Member, Parameters, Target, done, drain};
use crate::intake::{Intake, UploadKind, announcement};
use crate::permissions::require;

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
        let kind = UploadKind::New { replace: query.r#override };
        Ok((announced, Intake::admit(&host, &member, &path, kind).await?))
    };
    let (announced, intake) = match admitted.await {
        Ok(admitted) => admitted,
        Err(refused) => {
            drain(&headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let validators = intake.receive(announced, &headers, body).await?;
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
