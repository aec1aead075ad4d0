//! `GET /api/resources{path}`.

use std::io::{BufWriter, Write};

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, VirtualPath};
use disk_core::reason::Reason;
use disk_core::view::{Place, View};
use http::{HeaderMap, HeaderValue, header};
use kernel::Timestamp;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use utoipa::{IntoParams, ToSchema};

use super::checksum::Checksum;
use super::file::Looked;
use super::listing::{Lister, Selection};
use super::model::{Item, Resource, Shown, SortKey, Sorting};
use super::total::Total;
use crate::archive::choose;
use crate::host::ReadParts;
use crate::http::{HttpResult, Member, Parameters, Pipe, Reader, Target};
use crate::search::{self, Turns};

/// Answers with more entries are sent while they are written.
const MANY_ENTRIES: usize = 1000;
/// Bytes that the JSON writer, which writes in small pieces, passes on at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// Path prefix of File Browser's recursive listing.
const RECURSIVE: &str = "recursive";

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Purpose {
    /// A list: a text's content is left out.
    Listing,
    /// An editor: as without this.
    Editor,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LookQuery {
    /// Entries of the folder to pass over.
    offset: Option<u32>,
    /// Entries of the folder to answer at most; all of them without this.
    limit: Option<u32>,
    /// Another order than the saved one.
    sort: Option<SortKey>,
    /// A to Z, smallest or oldest first.
    asc: Option<bool>,
    /// What the answer is for.
    #[param(inline)]
    pub(super) kind: Option<Purpose>,
    /// A digest of the file instead of its content: md5, sha1, sha256 or sha512.
    #[param(value_type = Option<Checksum>, inline)]
    checksum: Option<String>,
    /// Whether all that is in the folder is added up.
    #[serde(default)]
    #[param(required = false)]
    size: bool,
}

impl LookQuery {
    /// A file, or part of a folder sorted by name.
    pub(crate) fn page(offset: Option<u32>, limit: Option<u32>, kind: Option<Purpose>) -> Self {
        Self { offset, limit, kind, sort: Some(SortKey::Name), asc: Some(true), ..Self::default() }
    }

    fn selection(&self, saved: Sorting) -> Selection {
        let sorting = Sorting { by: self.sort.unwrap_or(saved.by), asc: self.asc.unwrap_or(saved.asc) };
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Selection { sorting, offset: self.offset.map_or(0, count), limit: self.limit.map(count) }
    }

    pub(super) fn checksum(&self) -> DiskResult<Option<Checksum>> {
        let Some(name) = &self.checksum else { return Ok(None) };
        let known = Checksum::named(name).ok_or_else(|| DiskError::bad_request(Reason::DigestUnknown))?;
        Ok(Some(known))
    }
}

/// 文件的信息，或文件夹的内容
///
/// What is there: a file, or a folder with what is in it.
///
/// With the header `X-Encoding: true` a text file is answered as its bytes. `recursive/` before the path of a
/// folder lists everything below it, flat and in no order, as `path`, `name`, `size`, `modified` and `isDir`.
#[utoipa::path(
    get, path = "/api/resources/{path}", tag = "resources", operation_id = "getResource",
    params(
        ("path" = String, Path, description = "file or folder, may contain slashes"),
        LookQuery,
        ("X-Encoding" = Option<bool>, Header, description = "whether a text is wanted as its bytes"),
    ),
    responses(
        (status = 200, body = Resource<'static>, headers(
            ("ETag" = String, description = "files only"), ("Last-Modified" = String, description = "files only"),
        )),
        (status = 304, description = "the client has this already"),
        (status = 404, description = "not there, or not in the viewer's view"),
    )
)]
pub(super) async fn look(
    State(parts): State<ReadParts>,
    State(turns): State<Turns>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<LookQuery>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    // Long sums and digests end when the client goes away and this is dropped.
    let gone = CancellationToken::new();
    let _here = gone.clone().drop_guard();
    let below = below_recursive(&path).map(|below| (parts.clone(), member.clone(), below));
    match blocking(move || answer(&parts, &member, &path, &query, &headers, &gone, Shown::default())).await {
        // An existing folder of that name takes precedence.
        Err(DiskError::NotFound) if let Some((parts, member, below)) = below => {
            Ok(search::everything((parts, turns), member, below).await?)
        }
        other => Ok(other?),
    }
}

/// The path after `/recursive`.
fn below_recursive(path: &VirtualPath) -> Option<VirtualPath> {
    let (first, below) = path.names().split_first()?;
    (first == RECURSIVE).then(|| below.iter().fold(VirtualPath::default(), |path, name| path.join(name)))
}

/// The response for a file or a folder. Blocks; sums and digests end when the client is `gone`.
pub(crate) fn answer(
    parts: &ReadParts,
    member: &Member,
    path: &VirtualPath,
    query: &LookQuery,
    headers: &HeaderMap,
    gone: &CancellationToken,
    shown: Shown,
) -> DiskResult<Response> {
    let (jail, view) = (&*parts.jail, &member.view);
    let place = view.place(path);
    view.check_made_up(&place)?;
    let found = match &place {
        Place::At(location) => Some((jail.find(location)?, location)),
        Place::Root | Place::Shelf(_) => None,
        Place::Nowhere => return Err(DiskError::NotFound),
    };
    let checksum = query.checksum()?;
    let wanted = query.selection(member.profile.sorting);
    let lister = Lister { from: parts, view, path, hide_dotfiles: member.profile.hide_dotfiles };
    match found {
        Some((found, location)) if !found.meta.is_folder() => {
            Looked { jail, member, path, location, found, gone }.answer(query, checksum, headers, shown)
        }
        _ if checksum.is_some() => Err(DiskError::bad_request(Reason::IsFolder)),
        Some((found, location)) => {
            let total = total(jail, view, path, query, gone)?;
            let listing = lister.list(found, &location.access, total, wanted)?;
            if listing.len() > MANY_ENTRIES {
                return Ok(streamed(member.reader(), move |out| write(out, &listing.resource().shown(shown))));
            }
            ready(&listing.resource().shown(shown))
        }
        None => {
            let names = match place {
                Place::Shelf(shelf) => view.names_on(shelf),
                _ => view.root_names(),
            };
            let resource = lister.list_made_up(&names, wanted);
            let resource = Resource { total: total(jail, view, path, query, gone)?, ..resource };
            ready(&resource.shown(shown))
        }
    }
}

fn total(
    jail: &Jail,
    view: &View,
    path: &VirtualPath,
    query: &LookQuery,
    gone: &CancellationToken,
) -> DiskResult<Option<Total>> {
    if query.size { Ok(Some(total_of(jail, view, path, gone)?)) } else { Ok(None) }
}

/// What a folder holds altogether. Blocks, until the client is `gone`.
pub(crate) fn total_of(jail: &Jail, view: &View, path: &VirtualPath, gone: &CancellationToken) -> DiskResult<Total> {
    Total::of(jail, &choose(jail, view, "", path, None)?.sources, gone)
}

/// The response for a folder of which visitors see nothing but what is `shown`.
pub(crate) fn closed_folder(made: Timestamp, shown: Shown) -> DiskResult<Response> {
    ready(&Resource::new(Item::made_up(&VirtualPath::default(), made)).shown(shown))
}

/// Writes an answer as JSON.
pub(super) fn write(out: &mut impl Write, resource: &Resource<'_>) -> DiskResult<()> {
    Ok(serde_json::to_writer(out, resource).map_err(std::io::Error::from)?)
}

/// A short answer, written at once, so that head and body leave together.
pub(super) fn ready(resource: &Resource<'_>) -> DiskResult<Response> {
    let mut text = Vec::new();
    write(&mut text, resource)?;
    Ok(json(Body::from(text)))
}

/// A long response, written while the client reads.
pub(super) fn streamed<F>(reader: Reader, write: F) -> Response
where
    F: FnOnce(&mut BufWriter<&mut Pipe>) -> DiskResult<()> + Send + 'static,
{
    json(Pipe::body(reader, move |pipe| {
        let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, pipe);
        write(&mut buffer)?;
        Ok(buffer.flush()?)
    }))
}

fn json(body: Body) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
