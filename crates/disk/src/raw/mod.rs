//! Content on its way out: `GET` and `HEAD /api/raw{path}`.

mod disposition;
mod range;
mod serve;
mod stream;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Content, Member, Parameters, Target, blocking, subtree};
use crate::permissions::require;

pub(crate) fn routes() -> OpenApiRouter<Host> {
    subtree("/api/raw", routes!(download))
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RawQuery {
    /// To be shown in the browser instead of saved.
    #[serde(default)]
    #[param(required = false)]
    inline: bool,
    #[param(ignore)]
    algo: Option<String>,
    #[param(ignore)]
    files: Option<String>,
}

/// A file's bytes, whole or in ranges. Folders are refused with 400: this host makes no archives.
#[utoipa::path(
    get, path = "/api/raw/{path}", tag = "raw", operation_id = "download",
    params(
        ("path" = String, Path, description = "a file, may contain slashes"),
        RawQuery,
        ("Range" = Option<String>, Header, description = "one or more byte ranges"),
    ),
    responses(
        (status = 200, description = "the file", body = Content, content_type = "application/octet-stream"),
        (status = 206, description = "parts of it", body = Content, content_type = "application/octet-stream"),
        (status = 304, description = "the client has this already"),
        (status = 400, description = "a folder"),
        (status = 404, description = "not there, or not in the viewer's view"),
        (status = 412, description = "the content is another by now"),
        (status = 416, description = "no part of the range lies in the file"),
    )
)]
async fn download(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<RawQuery>,
    headers: HeaderMap,
) -> DiskResult<Response> {
    require(member.may.download)?;
    if query.algo.is_some() || query.files.is_some() {
        return Err(DiskError::bad_request("archives are not offered"));
    }
    let location = member.view.existing(&path)?;
    blocking(move || {
        let found = host.jail.find(&location)?;
        let file = host.jail.read_file(&found)?;
        serve::answer(file, path.name(), query.inline, &headers)
    })
    .await
}
