//! `/api/shares` and `/api/share`: managing share links.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use db_kit::Tx;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Found, Location, VirtualPath};
use disk_core::reason::Reason;
use http_kit::{ClientAddress, Routes, routes};
use kernel::{DiskAction, Timestamp};

use super::asked::{Asked, CreateQuery, NewShare};
use super::model::{Collection, Identity, Share, ShareLink, is_hash, names_of, new_hash, place};
use super::policy::{check_sharable, is_there};
use super::store::{self, Wanted};
use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, SmallBody, Target, done, subtree};
use crate::permissions::require;
use crate::trail;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(list)).merge(subtree("/api/share", routes!(of_path, create, remove)))
}

/// 我的分享
///
/// The caller's own links; administrators get all users'. Permanent ones first, then by expiry. What is
/// not there any more is left out.
#[utoipa::path(
    get, path = "/api/shares", tag = "shares", operation_id = "listShares",
    responses((status = 200, body = Vec<ShareLink>))
)]
async fn list(State(host): State<Host>, member: Member) -> HttpResult<Json<Vec<ShareLink>>> {
    let shares = live(&host, &member, None).await?;
    let jail = Arc::clone(&host.files.jail);
    let shares = blocking(move || Ok(shares.into_iter().filter(|share| is_there(&jail, share)).collect())).await?;
    Ok(Json(links(shares, &member)))
}

/// 一个文件或文件夹的分享
///
/// Lists the caller's links to a file or folder, for administrators those of all users. The list is
/// empty if the path does not exist.
#[utoipa::path(
    get, path = "/api/share/{path}", tag = "shares", operation_id = "listSharesOfResource",
    params(("path" = String, Path, description = "file or folder, may contain slashes")),
    responses((status = 200, body = Vec<ShareLink>))
)]
async fn of_path(State(host): State<Host>, member: Member, Target(path): Target) -> HttpResult<Json<Vec<ShareLink>>> {
    match find(&host, &member, &path).await {
        Ok((_, found)) => {
            let shares = live(&host, &member, Some(place(&found.names))).await?;
            let identity = Identity::of(&found.meta);
            let shares = shares.into_iter().filter(|share| share.is_of(&identity)).collect();
            Ok(Json(links(shares, &member)))
        }
        Err(DiskError::NotFound | DiskError::BadRequest(_)) => Ok(Json(Vec::new())),
        Err(error) => Err(error.into()),
    }
}

/// Links that have not expired and that this person may see; the targets of some may be gone.
async fn live(host: &Host, member: &Member, place: Option<String>) -> DiskResult<Vec<Share>> {
    let (db, now) = (&host.db, host.clock.now());
    host.shares.visits.write(db, now).await?;
    let owner = (!member.may.admin).then_some(member.actor.id);
    Ok(store::live(db, Wanted { owner, place: place.as_deref(), ..Wanted::default() }, now).await?)
}

fn links(shares: Vec<Share>, member: &Member) -> Vec<ShareLink> {
    shares.into_iter().map(|share| share.link(member.may.admin)).collect()
}

/// 创建分享链接
///
/// Makes a link. A file or folder has one permanent link of each person to be read, and a folder one more that takes
/// files: asking for it again answers the same link; a password and limits given with that take the place of the
/// former ones. Reading needs the right to download, taking files the right to create.
#[utoipa::path(
    post, path = "/api/share/{path}", tag = "shares", operation_id = "createShare",
    params(("path" = String, Path, description = "file or folder, may contain slashes"), CreateQuery),
    request_body(content = Option<NewShare>, content_type = "application/json"),
    responses(
        (status = 200, body = ShareLink),
        (status = 400, description = "malformed, the password is too short or too long, or only a folder takes files"),
        (status = 404, description = "nothing is there"),
        (status = 409, description = "as many links as one person may have (`limits.shares` of the settings)"),
    )
)]
async fn create(
    State(host): State<Host>,
    member: Member,
    address: ClientAddress,
    Target(path): Target,
    Parameters(query): Parameters<CreateQuery>,
    SmallBody(body): SmallBody,
) -> HttpResult<Json<ShareLink>> {
    require(member.may.share)?;
    let now = host.clock.now();
    let asked = Asked::read(query, &body, now);
    // A person without the other right is refused whatever the body has, as before.
    let collects = asked.as_ref().is_ok_and(|asked| asked.collection.is_some());
    require(if collects { member.may.create } else { member.may.download })?;
    let Asked { expires, password, collection } = asked?;
    let (location, found) = find(&host, &member, &path).await?;
    check_sharable(&found)?;
    if collects {
        check_collecting(&member, &path, &found)?;
    }
    let password = match password {
        Some(password) => Some(host.shares.passwords.hash(password).await?),
        None => None,
    };
    let share = Share {
        hash: new_hash()?,
        owner_id: member.actor.id,
        owner_name: member.actor.username.clone(),
        path: path.to_string().trim_end_matches('/').to_owned(),
        place: place(&found.names),
        identity: Identity::of(&found.meta),
        next: None,
        expires,
        password,
        created: now,
        downloads: 0,
        collection,
        views: 0,
        last_visit: None,
    };
    let share = keep(&host, share, now, member.settings.limits.shares).await?;
    // A replacement of the content in between bound the links of that moment, not yet this one.
    let again = look(&host, location).await?;
    store::rebind(&host.db, &share.place, &share.identity, &Identity::of(&again.meta)).await?;
    let (made, detail) = ((DiskAction::ShareCreate, named(&share)), described(&share));
    trail::note(&host, &member, address, made, detail).await;
    Ok(Json(share.link(member.may.admin)))
}

/// Only a folder that its owner may write to takes files.
fn check_collecting(member: &Member, path: &VirtualPath, found: &Found) -> DiskResult<()> {
    if !found.meta.is_folder() {
        return Err(DiskError::bad_request(Reason::NoFolder));
    }
    member.view.writable(path).map(drop)
}

/// The shared place as the log names it. Never the link itself, which opens it.
pub(super) fn named(share: &Share) -> String {
    trail::named(&Location::of_true_names(names_of(&share.place)))
}

fn described(share: &Share) -> String {
    let lasting = if share.expires.is_some() { "限时" } else { "永久" };
    let password = if share.password.is_some() { "有密码" } else { "无密码" };
    match &share.collection {
        Some(limits) => {
            format!("收集文件，最多 {} 个、{} 字节，{lasting}，{password}", limits.max_files, limits.max_bytes)
        }
        None => format!("{lasting}，{password}"),
    }
}

/// Stores it, or finds the permanent link that there is.
async fn keep(host: &Host, share: Share, now: Timestamp, most: u32) -> DiskResult<Share> {
    let tx = host.db.begin().await?;
    tx.serialize("disk_shares").await?;
    store::sweep(&tx, now).await?;
    let wanted = Wanted { owner: Some(share.owner_id), place: Some(&share.place), ..Wanted::default() };
    let mut permanent = None;
    for former in store::live(&tx, wanted, now).await? {
        if !former.is_of(&share.identity) {
            // Of something that had the name before.
            store::delete(&tx, &former.hash).await?;
        } else if former.expires.is_none() && former.collection.is_some() == share.collection.is_some() {
            permanent = Some(former);
        }
    }
    let kept = match permanent.filter(|_| share.expires.is_none()) {
        Some(former) => renew(&tx, former, &share).await?,
        None if store::count_of(&tx, share.owner_id).await? >= i64::from(most) => {
            return Err(DiskError::conflict(Reason::TooManyLinks));
        }
        None => {
            store::insert(&tx, &share).await?;
            share
        }
    };
    tx.commit().await?;
    Ok(kept)
}

/// Gives the permanent link what it is asked for anew.
async fn renew(tx: &Tx, mut former: Share, asked: &Share) -> DiskResult<Share> {
    if let Some(password) = &asked.password {
        store::set_password(tx, &former.hash, password).await?;
        former.password = Some(password.clone());
    }
    if let (Some(kept), Some(limits)) = (&mut former.collection, &asked.collection) {
        store::set_limits(tx, &former.hash, limits).await?;
        *kept = Collection { bytes: kept.bytes, files: kept.files, ..*limits };
    }
    Ok(former)
}

/// 删除分享链接
///
/// Ends a link.
#[utoipa::path(
    delete, path = "/api/share/{path}", tag = "shares", operation_id = "deleteShare",
    params(("path" = String, Path, description = "the link's hash")),
    responses(
        (status = 200, description = "ended", body = String, content_type = "text/plain"),
        (status = 403, description = "somebody else's"),
        (status = 404, description = "no such link"),
    )
)]
async fn remove(
    State(host): State<Host>,
    member: Member,
    address: ClientAddress,
    Target(path): Target,
) -> HttpResult<Response> {
    let [hash] = path.names() else { return Err(DiskError::NotFound.into()) };
    let hash = Some(hash.as_str()).filter(|hash| is_hash(hash)).ok_or(DiskError::NotFound)?;
    let wanted = Wanted { hash: Some(hash), ..Wanted::default() };
    let share = store::live(&host.db, wanted, host.clock.now()).await?.pop().ok_or(DiskError::NotFound)?;
    require(share.owner_id == member.actor.id || member.may.admin)?;
    let tx = host.db.begin().await?;
    store::delete(&tx, hash).await?;
    tx.commit().await?;
    let others =
        if share.owner_id == member.actor.id { String::new() } else { format!("{} 的分享", share.owner_name) };
    trail::note(&host, &member, address, (DiskAction::ShareRemove, named(&share)), others).await;
    Ok(done())
}

async fn find(host: &Host, member: &Member, path: &VirtualPath) -> DiskResult<(Location, Found)> {
    let location = member.view.existing(path)?;
    let found = look(host, location.clone()).await?;
    Ok((location, found))
}

async fn look(host: &Host, location: Location) -> DiskResult<Found> {
    let jail = Arc::clone(&host.files.jail);
    blocking(move || jail.find(&location)).await
}
