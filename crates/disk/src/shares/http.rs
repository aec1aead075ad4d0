//! `/api/shares` and `/api/share`: managing share links.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Found, Location, VirtualPath};
use disk_core::reason::Reason;
use http_kit::{ClientAddress, Routes, routes};
use kernel::{DiskAction, Timestamp};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::model::{Identity, Share, ShareLink, Unit, expiry, is_hash, names_of, new_hash, place};
use super::policy::{check_sharable, is_there};
use super::store::{self, Wanted};
use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, SmallBody, Target, done, parse, subtree};
use crate::permissions::require;
use crate::trail;

/// Characters. Former passwords may have fewer and go on working.
const MIN_PASSWORD: usize = 4;
/// Bytes; hashing itself accepts a password of any length.
const MAX_PASSWORD: usize = 1024;
const MAX_BODY: usize = 16 * 1024;

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
    host.shares.downloads.write(db, now).await?;
    let owner = (!member.may.admin).then_some(member.actor.id);
    Ok(store::live(db, Wanted { owner, place: place.as_deref(), ..Wanted::default() }, now).await?)
}

fn links(shares: Vec<Share>, member: &Member) -> Vec<ShareLink> {
    shares.into_iter().map(|share| share.link(member.may.admin)).collect()
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CreateQuery {
    /// How many units until it expires, 0 to 2147483647; without it the link is permanent.
    expires: Option<String>,
    /// Hours when it is not given.
    #[param(inline)]
    unit: Option<Unit>,
}

/// The same as the query, which it goes before, and a password.
/// A misspelt member is refused: the link would lack what it was meant to have.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewShare {
    /// What visitors have to say, at least four characters; empty for none.
    password: Option<String>,
    /// A number, also as text; empty for a permanent link.
    expires: Option<Number>,
    /// Empty for hours.
    #[schema(value_type = Option<Unit>)]
    unit: Option<String>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
enum Number {
    Number(i64),
    Text(String),
}

/// A requested link.
struct Asked {
    expires: Option<Timestamp>,
    password: Option<String>,
}

impl Asked {
    fn read(query: CreateQuery, body: &[u8], now: Timestamp) -> DiskResult<Self> {
        let NewShare { password, expires, unit } = match body {
            [] => NewShare::default(),
            _ if body.len() > MAX_BODY => return Err(DiskError::TooLarge),
            body => parse(body)?,
        };
        let said = expires.map(|number| match number {
            Number::Number(number) => number.to_string(),
            Number::Text(text) => text,
        });
        let said = said.or(query.expires).filter(|text| !text.trim().is_empty());
        let unit = match unit.as_deref() {
            Some("seconds") => Unit::Seconds,
            Some("minutes") => Unit::Minutes,
            Some("hours") => Unit::Hours,
            Some("days") => Unit::Days,
            None | Some("") => query.unit.unwrap_or_default(),
            Some(_) => return Err(DiskError::bad_request(Reason::UnitUnknown)),
        };
        let password = password.filter(|password| !password.is_empty());
        if password.as_ref().is_some_and(|password| password.len() > MAX_PASSWORD) {
            return Err(DiskError::bad_request(Reason::PasswordLong));
        }
        if password.as_ref().is_some_and(|password| password.chars().count() < MIN_PASSWORD) {
            return Err(DiskError::bad_request(Reason::PasswordShort));
        }
        Ok(Self { expires: said.map(|number| expiry(now, &number, unit)).transpose()?, password })
    }
}

/// 创建分享链接
///
/// Makes a link. A file or folder has one permanent link of each person: asking for it again
/// answers the same link; a password given with that takes the place of the former one.
#[utoipa::path(
    post, path = "/api/share/{path}", tag = "shares", operation_id = "createShare",
    params(("path" = String, Path, description = "file or folder, may contain slashes"), CreateQuery),
    request_body(content = Option<NewShare>, content_type = "application/json"),
    responses(
        (status = 200, body = ShareLink),
        (status = 400, description = "malformed, or the password is too short or too long"),
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
    require(member.may.share && member.may.download)?;
    let now = host.clock.now();
    let Asked { expires, password } = Asked::read(query, &body, now)?;
    let (location, found) = find(&host, &member, &path).await?;
    check_sharable(&found)?;
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
    };
    let share = keep(&host, share, now, member.settings.limits.shares).await?;
    // A replacement of the content in between bound the links of that moment, not yet this one.
    let again = look(&host, location).await?;
    store::rebind(&host.db, &share.place, &share.identity, &Identity::of(&again.meta)).await?;
    let (made, detail) = ((DiskAction::ShareCreate, named(&share)), described(&share));
    trail::note(&host, &member, address, made, detail).await;
    Ok(Json(share.link(member.may.admin)))
}

/// The shared place as the log names it. Never the link itself, which opens it.
fn named(share: &Share) -> String {
    trail::named(&Location::of_true_names(names_of(&share.place)))
}

fn described(share: &Share) -> String {
    let lasting = if share.expires.is_some() { "限时" } else { "永久" };
    let password = if share.password.is_some() { "有密码" } else { "无密码" };
    format!("{lasting}，{password}")
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
        } else if former.expires.is_none() {
            permanent = Some(former);
        }
    }
    let kept = match permanent.filter(|_| share.expires.is_none()) {
        Some(former) => match &share.password {
            Some(password) => {
                store::set_password(&tx, &former.hash, password).await?;
                Share { password: share.password, ..former }
            }
            None => former,
        },
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
