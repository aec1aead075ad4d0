//! Content on its way out: `GET` and `HEAD /api/raw{path}`.

mod disposition;
mod range;
mod serve;
mod stream;

pub(crate) use disposition::disposition;
#[cfg(any(test, feature = "fuzzing"))]
pub use range::check_range;
pub(crate) use serve::{CONTENT_POLICY, answer};
pub(crate) use stream::Source;

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::jail::{Jail, VirtualPath};
use disk_core::view::{Place, View};
use http::{HeaderMap, Uri};
use http_kit::{FileSender, Routes, routes};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::archive::{self, Algorithm};
use crate::host::Host;
use crate::http::{Content, HttpResult, Member, Parameters, Target, raw_parameter, subtree};
use crate::permissions::require;

/// Name of an archive of the whole view.
const ROOT_NAME: &str = "disk";

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/raw", routes!(get))
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RawQuery {
    /// To be shown in the browser instead of saved; archives are always saved.
    #[serde(default)]
    #[param(required = false)]
    inline: bool,
    /// How a folder is packed: zip (also when it is left out), tar, targz, tarbz2, tarxz, tarlz4,
    /// tarsz or tarzst.
    algo: Option<String>,
    /// Names in the folder, separated by commas: only these are packed.
    #[expect(dead_code, reason = "read as it stands in the URL; here it is only documented")]
    files: Option<String>,
}

/// 下载文件，或打包下载文件夹
///
/// A file's bytes, whole or in ranges; a folder, or some of what is in it, as an archive.
///
/// An archive leaves out links, pipes, sockets and devices. When something can't be read the
/// connection breaks, so that no archive looks whole that is not.
#[utoipa::path(
    get, path = "/api/raw/{path}", tag = "raw", operation_id = "download",
    params(
        ("path" = String, Path, description = "a file or folder, may contain slashes"),
        RawQuery,
        ("Range" = Option<String>, Header, description = "one or more byte ranges of a file"),
    ),
    responses(
        (status = 200, description = "the file or the archive", body = Content,
            content_type = "application/octet-stream"),
        (status = 206, description = "parts of it", body = Content, content_type = "application/octet-stream"),
        (status = 304, description = "the client has this already"),
        (status = 400, description = "unknown algo"),
        (status = 404, description = "not there, or not in the viewer's view"),
        (status = 412, description = "the content is another by now"),
        (status = 416, description = "no part of the range lies in the file"),
    )
)]
async fn get(State(jail): State<Arc<Jail>>, request: Request) -> HttpResult<Response> {
    download(&jail, request).await
}

/// Answers a guarded request.
pub(crate) async fn download(jail: &Arc<Jail>, request: Request) -> HttpResult<Response> {
    let (mut parts, _) = request.into_parts();
    let member = Member::from_request_parts(&mut parts, &()).await?;
    let Target(path) = Target::from_request_parts(&mut parts, &()).await?;
    let Parameters(query) = Parameters::<RawQuery>::from_request_parts(&mut parts, &()).await?;
    require(member.may.download)?;
    let wanted = Wanted { sender: FileSender::of(&parts), ..Wanted::read(&query, &parts.uri, ROOT_NAME)? };
    Ok(content(jail, member, path, wanted, parts.headers).await?)
}

/// Options of a download.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// To be shown in the browser.
    pub(crate) inline: bool,
    /// How a folder is packed.
    pub(crate) algorithm: Algorithm,
    /// Entries of a folder to be packed, as written in the URL.
    pub(crate) files: Option<String>,
    /// Name of an archive of the whole view.
    pub(crate) root_name: String,
    /// Where the connection can send files itself.
    pub(crate) sender: Option<FileSender>,
}

impl Wanted {
    /// 400 for an unknown way of packing.
    pub(crate) fn read(query: &RawQuery, uri: &Uri, root_name: &str) -> DiskResult<Self> {
        let algorithm = query.algo.as_deref().unwrap_or_default().parse()?;
        let files = raw_parameter(uri.query(), "files");
        Ok(Self { inline: query.inline, algorithm, files, root_name: root_name.to_owned(), sender: None })
    }
}

/// The answer with a file's bytes or a folder's archive.
pub(crate) async fn content(
    jail: &Arc<Jail>,
    member: Member,
    path: VirtualPath,
    wanted: Wanted,
    headers: HeaderMap,
) -> DiskResult<Response> {
    // Saves the hop to a blocking thread and back, half a dozen futex calls.
    if let Some(response) = in_memory(jail, &member.view, &path, &wanted, &headers) {
        return Ok(response);
    }
    let jail = Arc::clone(jail);
    blocking(move || read(&jail, &member, &path, &wanted, &headers)).await
}

/// A file's bytes where they can be had without waiting for a disk.
fn in_memory(jail: &Jail, view: &View, path: &VirtualPath, wanted: &Wanted, headers: &HeaderMap) -> Option<Response> {
    let Place::At(location) = view.place(path) else { return None };
    let (file, meta) = jail.open_in_memory(&location)?;
    let source = Source::new(file, meta).by(wanted.sender.clone()).without_waiting();
    answer(source, path.name(), wanted.inline, headers).ok()
}

fn read(
    jail: &Arc<Jail>,
    member: &Member,
    path: &VirtualPath,
    wanted: &Wanted,
    headers: &HeaderMap,
) -> DiskResult<Response> {
    let view = &member.view;
    if let Place::At(location) = view.place(path) {
        let found = jail.find(&location)?;
        if !found.meta.is_folder() {
            let source = Source::new(jail.read_file(&found)?, found.meta).by(wanted.sender.clone());
            return answer(source, path.name(), wanted.inline, headers);
        }
    }
    let choice = archive::choose(jail, view, &wanted.root_name, path, wanted.files.as_deref())?;
    Ok(archive::answer(Arc::clone(jail), choice, wanted.algorithm, member.reader()))
}
