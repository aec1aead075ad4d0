//! `/api/public`: shares for their visitors, without a sign-in.

use axum::extract::{FromRef as _, FromRequestParts, State};
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::reason::Reason;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, header};
use http_kit::{ClientAddress, FileSender, Routes, routes};
use kernel::is_bcrypt_hash;
use percent_encoding::percent_decode;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use super::model::{Collection, Share, is_hash, sunset};
use super::password::{is_token, token};
use super::policy::Visit;
use super::store::{self, Wanted};
use super::visits::Visiting;
use crate::host::{Host, ReadParts};
use crate::http::{Content, ErrorResponse, HttpResult, Parameters, subtree};
use crate::raw::{self, RawQuery};
use crate::resources::{self, Purpose, Resource, Sharing, Shown};

/// Percent-encoded, because headers hold ASCII only.
const PASSWORD_HEADER: &str = "x-share-password";

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/public/share", routes!(look)).merge(subtree("/api/public/dl", routes!(download)))
}

/// The share and the path in it, after `/api/public/{share|dl|collect}/`.
pub(super) struct Link {
    pub(super) hash: String,
    pub(super) below: VirtualPath,
}

impl<S: Send + Sync> FromRequestParts<S> for Link {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> HttpResult<Self> {
        let tail = parts.uri.path().splitn(5, '/').nth(4).unwrap_or_default();
        let (hash, below) = tail.split_once('/').unwrap_or((tail, ""));
        if !is_hash(hash) {
            return Err(DiskError::NotFound.into());
        }
        Ok(Self { hash: hash.to_owned(), below: VirtualPath::parse(&format!("/{below}"))? })
    }
}

/// A visitor's address and credentials.
pub(super) struct Visitor {
    pub(super) address: ClientAddress,
    password: Option<String>,
    token: Option<String>,
}

/// Parameters besides those of each call.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EntryQuery {
    /// Stands for the password; from an earlier answer.
    token: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> HttpResult<Self> {
        let Ok(address) = ClientAddress::from_request_parts(parts, state).await;
        let decode = |value: &HeaderValue| percent_decode(value.as_bytes()).decode_utf8().ok().map(Into::into);
        let password = parts.headers.get(PASSWORD_HEADER).and_then(decode);
        let Parameters(EntryQuery { token }) = Parameters::from_request_parts(parts, state).await?;
        Ok(Self { address, password, token })
    }
}

/// Finds a share, and checks the password. Returns the token that replaces it.
pub(super) async fn enter(host: &Host, hash: &str, visitor: Visitor) -> DiskResult<(Share, Option<String>)> {
    let now = host.clock.now();
    let wanted = Wanted { hash: Some(hash), ..Wanted::default() };
    let share = store::live(&host.db, wanted, now).await?.pop().ok_or(DiskError::NotFound)?;
    let Some(kept) = &share.password else { return Ok((share, None)) };
    if let Some(said) = visitor.token.filter(|said| is_token(said, hash, kept, now)) {
        return Ok((share, Some(said)));
    }
    let password = visitor.password.ok_or(DiskError::Unauthorized(Reason::PasswordNeeded))?;
    host.shares.limits.check(hash, visitor.address.0)?;
    let said = password.clone();
    if !host.shares.passwords.verify(password, kept.clone()).await? {
        return Err(DiskError::Unauthorized(Reason::PasswordWrong));
    }
    let kept = if is_bcrypt_hash(kept) { keep_anew(host, hash, said).await? } else { kept.clone() };
    let token = token(hash, &kept, now);
    Ok((share, Some(token)))
}

/// Replaces the bcrypt hash of an imported password by one of our own, and returns it.
async fn keep_anew(host: &Host, hash: &str, password: String) -> DiskResult<String> {
    let kept = host.shares.passwords.hash(password).await?;
    let tx = host.db.begin().await?;
    store::set_password(&tx, hash, &kept).await?;
    tx.commit().await?;
    Ok(kept)
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LookQuery {
    /// Entries of the folder to pass over.
    offset: Option<u32>,
    /// Entries of the folder to answer at most; all of them without this.
    limit: Option<u32>,
    /// What the answer is for.
    #[param(inline)]
    kind: Option<Purpose>,
    /// Whether all that is in the folder is added up. Left out of the answer where that takes too long.
    #[serde(default)]
    #[param(required = false)]
    size: bool,
}

/// 分享的信息和内容
///
/// A shared file or folder, or what is in a shared folder, sorted by name. Of a folder whose link only takes files,
/// nothing but its name and the link's limits.
#[utoipa::path(
    get, path = "/api/public/share/{path}", tag = "public", operation_id = "getSharedResource", security(()),
    params(
        ("path" = String, Path, description = "the link's hash and, for a folder, a path in it"), EntryQuery, LookQuery,
        ("X-SHARE-PASSWORD" = Option<String>, Header, description = "percent-encoded"),
    ),
    responses(
        (status = 200, body = Resource<'static>,
            headers(("Sunset" = String, description = "when the link expires; none when it does not"))),
        (status = 401, description = "the password is missing or wrong"),
        (status = 404, description = "no such link, expired, or not there any more"),
        (status = 429, description = "too many passwords tried"),
    )
)]
async fn look(
    State(host): State<Host>,
    Link { hash, below }: Link,
    visitor: Visitor,
    Parameters(query): Parameters<LookQuery>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let from = visitor.address.0;
    let (share, token) = enter(&host, &hash, visitor).await?;
    let visit = Visit::open(&host, &share).await?;
    let now = host.clock.now();
    let sharing = Sharing::new(visit.member.view.display_name(), share.collection.map(Collection::shown));
    if share.collection.is_some() {
        if !below.is_root() {
            return Err(DiskError::NotFound.into());
        }
        host.shares.visits.count(&host.db, (hash.as_str(), from), Visiting::Look, now).await?;
        let shown = Shown { named: Some(("/".to_owned(), visit.name)), token, sharing: Some(sharing), total: None };
        // When it was changed last would tell of other visitors.
        return Ok(for_visitors(resources::closed_folder(share.created, shown)?, &share));
    }
    let path = visit.path(&below);
    let total = if query.size && visit.is_folder {
        host.shares.totals.of(ReadParts::from_ref(&host), &visit.member, &hash, &path).await
    } else {
        None
    };
    let parts = ReadParts::from_ref(&host);
    let query = resources::LookQuery::page(query.offset, query.limit, query.kind);
    let looked = blocking(move || {
        let named = match (visit.is_folder, path.is_root()) {
            (false, _) => Some((String::new(), visit.name)),
            (true, true) => Some(("/".to_owned(), visit.name)),
            (true, false) => None,
        };
        let shown = Shown { named, token, sharing: Some(sharing), total };
        let nothing_long = CancellationToken::new();
        let answer = resources::answer(&parts, &visit.member, &path, &query, &headers, &nothing_long, shown);
        Ok(for_visitors(answer.map_err(gone)?, &share))
    });
    let looked = looked.await?;
    host.shares.visits.count(&host.db, (hash.as_str(), from), Visiting::Look, now).await?;
    Ok(looked)
}

fn for_visitors(mut response: Response, share: &Share) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Some(ends) = share.expires.and_then(sunset) {
        headers.insert("sunset", ends);
    }
    response
}

/// 下载分享的文件，或打包下载
///
/// The bytes of a shared file, or of a file in a shared folder; a folder, or some of what is in
/// it, as an archive.
#[utoipa::path(
    get, path = "/api/public/dl/{path}", tag = "public", operation_id = "downloadShared", security(()),
    params(
        ("path" = String, Path, description = "the link's hash and, for a folder, a path in it"), EntryQuery, RawQuery,
        ("X-SHARE-PASSWORD" = Option<String>, Header, description = "percent-encoded"),
        ("Range" = Option<String>, Header, description = "one or more byte ranges"),
    ),
    responses(
        (status = 200, description = "the file or the archive", body = Content, content_type = "application/octet-stream"),
        (status = 206, description = "parts of it", body = Content, content_type = "application/octet-stream"),
        (status = 304, description = "the client has this already"),
        (status = 400, description = "unknown algo"),
        (status = 401, description = "the password is missing or wrong"),
        (status = 404, description = "no such link, expired, or not there any more"),
        (status = 412, description = "the content is another by now"),
        (status = 416, description = "no part of the range lies in the file"),
        (status = 429, description = "too many passwords tried"),
    )
)]
async fn download(
    State(host): State<Host>,
    Link { hash, below }: Link,
    visitor: Visitor,
    Parameters(query): Parameters<RawQuery>,
    parts: Parts,
) -> HttpResult<Response> {
    let sender = FileSender::of(&parts);
    let Parts { method, uri, headers, .. } = parts;
    let from = visitor.address.0;
    let (share, _) = enter(&host, &hash, visitor).await?;
    if share.collection.is_some() {
        return Err(DiskError::NotFound.into());
    }
    let visit = Visit::open(&host, &share).await?;
    let counts = method == Method::GET && is_beginning(&headers);
    let mut wanted = raw::Wanted { sender, ..raw::Wanted::read(&query, &uri, &visit.name)? };
    wanted.files = wanted.files.filter(|_| visit.is_folder);
    let path = visit.path(&below);
    let response = raw::content(&host.files.jail, visit.member, path, wanted, headers).await.map_err(gone)?;
    if counts && response.status().is_success() {
        host.shares.visits.count(&host.db, (hash.as_str(), from), Visiting::Download, host.clock.now()).await?;
    }
    Ok(response)
}

/// Entries that the owner may not see do not exist for visitors.
fn gone(error: DiskError) -> DiskError {
    match error {
        DiskError::Forbidden => DiskError::NotFound,
        other => other,
    }
}

/// Players and download managers fetch a file in many ranges; that is one download.
fn is_beginning(headers: &HeaderMap) -> bool {
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    range.is_none_or(|range| range.trim_start().starts_with("bytes=0-"))
}
