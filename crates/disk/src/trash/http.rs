//! `/api/trash`.

use axum::Json;
use axum::extract::{OriginalUri, Path, State};
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Location, VirtualPath};
use disk_core::transfer::Clash;
use disk_core::trash::{Deleted, Whose, keep_for};
use http::HeaderMap;
use http_kit::{ClientAddress, Routes, routes};
use kernel::{DiskAction, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, done};
use crate::permissions::require;
use crate::resources::{Changed, now_at};
use crate::trail;

/// Entries in one response, and in one round of emptying.
const PAGE: u32 = 1000;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(list, empty)).routes(routes!(purge)).routes(routes!(restore))
}

/// What was deleted and can be brought back.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrashList {
    /// The newest first.
    items: Vec<TrashItem>,
    /// How many there are altogether.
    total: u64,
    /// For how many days deleted files are kept; 0 = they are deleted permanently at once.
    keep_days: u32,
}

/// One deleted file or folder.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrashItem {
    id: String,
    /// Where it was, from the viewer's root, decoded.
    path: String,
    name: String,
    is_dir: bool,
    /// Bytes that it holds; of a folder those of all files in it.
    size: u64,
    /// Bytes that it takes on the disk, which is what its space gets back when it goes for good.
    used: u64,
    deleted: Timestamp,
    /// Who deleted it.
    deleted_by: String,
    /// When it goes for good; earlier when the room is needed.
    expires: Timestamp,
}

#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TrashQuery {
    /// Entries to pass over.
    #[serde(default)]
    #[param(required = false)]
    offset: u32,
    /// Entries wanted; at most 1000.
    #[serde(default = "page")]
    #[param(required = false)]
    limit: u32,
}

fn page() -> u32 {
    PAGE
}

#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RestoreQuery {
    /// Where the name is taken, `name(1).ext`, `name(2).ext` and so on is used.
    #[serde(default)]
    #[param(required = false)]
    rename: bool,
}

fn whose(member: &Member) -> Whose {
    if member.actor.is_admin() { Whose::Everybodys } else { Whose::Of(member.actor.id) }
}

/// Its former path, for a person who may delete it permanently.
fn shown(deleted: &Deleted, member: &Member) -> Option<VirtualPath> {
    let former = || deleted.of_former_dataset(&member.view, member.actor.id);
    seen(deleted, member).map(|(path, _)| path).or_else(former)
}

fn seen(deleted: &Deleted, member: &Member) -> Option<(VirtualPath, Location)> {
    deleted.seen_by(&member.view, member.actor.id, member.actor.is_admin())
}

/// 回收站
///
/// What the viewer could delete again: what lay in their home, and what they deleted elsewhere. What
/// was in a dataset of theirs that is no more can only go for good; an administrator brings it back.
/// Administrators see everything.
#[utoipa::path(
    get, path = "/api/trash", tag = "trash", operation_id = "listTrash",
    params(TrashQuery), responses((status = 200, body = TrashList))
)]
async fn list(
    State(host): State<Host>,
    member: Member,
    Parameters(query): Parameters<TrashQuery>,
) -> HttpResult<Json<TrashList>> {
    require(member.may.delete)?;
    let keep = keep_for(member.settings.trash_days);
    let since = host.clock.now().minus(keep);
    let total = host.files.trash.count(whose(&member), since).await?;
    let limit = query.limit.min(PAGE);
    let page = host.files.trash.page(whose(&member), since, limit.into(), query.offset.into()).await?;
    let item = |deleted: Deleted| {
        let path = shown(&deleted, &member)?;
        Some(TrashItem {
            id: deleted.id.to_string(),
            path: path.to_string(),
            name: deleted.name().to_owned(),
            is_dir: deleted.is_folder,
            size: deleted.length.unwrap_or(deleted.size),
            used: deleted.size,
            deleted: deleted.at(),
            expires: deleted.at().plus(keep),
            deleted_by: deleted.deleted_by_name,
        })
    };
    let items = page.into_iter().filter_map(item).collect();
    Ok(Json(TrashList { items, total, keep_days: member.settings.trash_days }))
}

/// The entry of this id, if it is the viewer's to touch.
async fn find(host: &Host, member: &Member, id: &str) -> DiskResult<Deleted> {
    require(member.may.delete)?;
    let id = Uuid::try_parse(id).map_err(|_| DiskError::NotFound)?;
    let deleted = host.files.trash.one(id).await?.ok_or(DiskError::NotFound)?;
    if shown(&deleted, member).is_some() { Ok(deleted) } else { Err(DiskError::NotFound) }
}

/// 从回收站恢复
///
/// Brings an entry back to where it was; folders on the way are made again.
#[utoipa::path(
    post, path = "/api/trash/{id}/restore", tag = "trash", operation_id = "restoreFromTrash",
    params(("id" = String, Path, description = "the entry"), RestoreQuery),
    responses(
        (status = 200, description = "it is back; as text, or as JSON when that is accepted", headers(
            ("Location" = String, description = "the address it has now"),
        ), content((Changed = "application/json"), (String = "text/plain"))),
        (status = 403, description = "it was in a dataset that is no more"),
        (status = 404, description = "no such entry"),
        (status = 409, description = "the name is taken"),
        (status = 423, description = "somebody else has the place locked over WebDAV"),
    )
)]
async fn restore(
    State(host): State<Host>,
    member: Member,
    Path(id): Path<String>,
    Parameters(query): Parameters<RestoreQuery>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> HttpResult<Response> {
    require(member.may.create)?;
    let deleted = find(&host, &member, &id).await?;
    let (path, location) = seen(&deleted, &member).ok_or(DiskError::Forbidden)?;
    host.refuse_locked(&location, &member.actor, true)?;
    let clash = if query.rename { Clash::FreeName } else { Clash::Refuse };
    let name = blocking(move || {
        let name = host.files.trash.restore(&deleted, &location, clash, &host.files.names)?;
        host.files.ledger.add(&location.space, deleted.size, 0);
        Ok(name)
    })
    .await?;
    Ok(now_at(&path.parent().join(&name.to_string_lossy()), &uri, &headers))
}

/// 彻底删除
///
/// Deletes an entry for good.
#[utoipa::path(
    delete, path = "/api/trash/{id}", tag = "trash", operation_id = "purgeFromTrash",
    params(("id" = String, Path, description = "the entry")),
    responses(
        (status = 200, description = "gone", body = String, content_type = "text/plain"),
        (status = 404, description = "no such entry"),
        (status = 423, description = "its file system is not mounted now"),
    )
)]
async fn purge(
    State(host): State<Host>,
    member: Member,
    address: ClientAddress,
    Path(id): Path<String>,
) -> HttpResult<Response> {
    let deleted = find(&host, &member, &id).await?;
    let (purging, place) = (host.clone(), deleted.place());
    if !blocking(move || purging.files.trash.purge(&deleted)).await? {
        return Err(DiskError::Busy.into());
    }
    trail::note(&host, &member, address, (DiskAction::TrashPurge, place), String::new()).await;
    Ok(done())
}

/// 清空回收站
///
/// Deletes for good what lay in the viewer's home, and what they deleted elsewhere; an
/// administrator's call too leaves other people's alone.
#[utoipa::path(
    delete, path = "/api/trash", tag = "trash", operation_id = "emptyTrash",
    responses((status = 200, description = "gone", body = String, content_type = "text/plain"))
)]
async fn empty(State(host): State<Host>, member: Member, address: ClientAddress) -> HttpResult<Response> {
    require(member.may.delete)?;
    let (mut offset, mut gone) = (0, 0);
    loop {
        let (mine, ever) = (Whose::Of(member.actor.id), Timestamp::from_millis(0));
        let page = host.files.trash.page(mine, ever, PAGE.into(), offset).await?;
        if page.is_empty() {
            if gone > 0 {
                let done = (DiskAction::TrashPurge, "回收站".to_owned());
                trail::note(&host, &member, address, done, format!("清空，共 {gone} 项")).await;
            }
            return Ok(done());
        }
        let all = page.len();
        let (host, member) = (host.clone(), member.clone());
        // Entries that the person may not delete, or that cannot be reached, are skipped.
        let left = blocking(move || {
            let mut left = 0;
            for deleted in &page {
                let gone = shown(deleted, &member).is_some() && host.files.trash.purge(deleted)?;
                left += i64::from(!gone);
            }
            Ok(left)
        })
        .await?;
        offset += left;
        gone += all.saturating_sub(usize::try_from(left).unwrap_or_default());
    }
}
