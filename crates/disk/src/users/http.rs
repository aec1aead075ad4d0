//! `/api/users`: disk users; ordinary users may only access their own.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, Path, State};
use axum::response::{IntoResponse, Response};
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use http::{StatusCode, header};
use http_kit::{ClientAddress, Routes, routes};
use kernel::{DiskAction, Role, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::change::Envelope;
use super::{Profile, Profiles};
use crate::directory::Directory;
use crate::host::Host;
use crate::http::{HttpResult, JsonBody, Member, changes, done, record, status_line};
use crate::permissions::{Permissions, require};

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(list, create)).routes(routes!(get, change, reset))
}

/// A disk user: the platform's account with its profile. There is no `password`, not even an
/// empty one as in the original: the disk knows none.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiskUser {
    /// The platform account's.
    id: UserId,
    /// The platform account's.
    username: String,
    #[serde(flatten)]
    profile: Profile,
}

impl DiskUser {
    fn new(id: UserId, username: String, role: Role, profile: Profile) -> Self {
        let perm = if role == Role::Admin { Permissions::ALL } else { profile.perm };
        Self { id, username, profile: Profile { perm, ..profile } }
    }
}

/// 网盘用户
///
/// All users who were on the disk or have a profile, by number.
#[utoipa::path(
    get, path = "/api/users", tag = "users", operation_id = "listDiskUsers",
    responses((status = 200, body = Vec<DiskUser>), (status = 403, description = "not an administrator"))
)]
async fn list(
    State(profiles): State<Arc<Profiles>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
) -> HttpResult<Json<Vec<DiskUser>>> {
    require(member.may.admin)?;
    let stored = profiles.all().await?;
    let accounts = directory.accounts().await.map_err(DiskError::Unavailable)?;
    let mut accounts: HashMap<UserId, _> = accounts.into_iter().map(|account| (account.id, account)).collect();
    let user = |(id, profile)| {
        // The profile of a deleted account is left out.
        accounts.remove(&id).map(|account| DiskUser::new(id, account.username, account.role, profile))
    };
    Ok(Json(stored.into_iter().filter_map(user).collect()))
}

/// 一个网盘用户
///
/// One disk user: the caller, or any user for administrators.
#[utoipa::path(
    get, path = "/api/users/{id}", tag = "users", operation_id = "getDiskUser",
    params(("id" = i64, Path, description = "the account's number")),
    responses(
        (status = 200, body = DiskUser),
        (status = 403, description = "somebody else's, and not an administrator"),
        (status = 404, description = "no account, or never on the disk"),
    )
)]
async fn get(
    State(profiles): State<Arc<Profiles>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
    Path(id): Path<String>,
) -> HttpResult<Json<DiskUser>> {
    let id = number(&member, &id)?;
    let person = directory.person(id).await.map_err(DiskError::Unavailable)?.ok_or(DiskError::NotFound)?;
    let profile = profiles.stored(id).await?.ok_or(DiskError::NotFound)?;
    Ok(Json(DiskUser::new(id, person.username.clone(), person.role, profile)))
}

/// 添加网盘用户
///
/// Gives a profile to a user who has an account and was never on the disk. Named by `username`
/// in any case of letters; what is left out is as for any newcomer.
#[utoipa::path(
    post, path = "/api/users", tag = "users", operation_id = "createDiskUser",
    request_body = Envelope,
    responses(
        (status = 201, description = "made", body = String, content_type = "text/plain",
            headers(("Location" = String, description = "the disk user's address"))),
        (status = 400, description = "malformed, an unknown field, or no account has this name"),
        (status = 403, description = "not an administrator"),
        (status = 409, description = "has one already"),
        (status = 503, description = "the portal can't keep it in its log, so nothing was changed"),
        (status = 507, description = "the disk is full"),
    )
)]
async fn create(
    State(profiles): State<Arc<Profiles>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
    address: ClientAddress,
    OriginalUri(uri): OriginalUri,
    JsonBody(envelope): JsonBody<Envelope>,
) -> HttpResult<Response> {
    require(member.may.admin)?;
    let change = envelope.read()?;
    let username =
        change.username.as_deref().ok_or_else(|| DiskError::bad_request(Reason::UsernameMissing))?.to_lowercase();
    let accounts = directory.accounts().await.map_err(DiskError::Unavailable)?;
    let account = accounts.into_iter().find(|account| account.username.to_lowercase() == username);
    let account = account.ok_or_else(|| DiskError::bad_request(Reason::NoAccount))?;
    let id = account.id;
    let usual = member.settings.defaults.for_newcomer();
    let profile = change.apply(&usual)?;
    if profiles.stored(id).await?.is_some() {
        return Err(DiskError::conflict(Reason::Exists).into());
    }
    let detail = changes(&usual, &profile)?;
    record(&*directory, &member, address, DiskAction::UserCreate, account.username, detail).await?;
    if !profiles.insert(id, &profile).await? {
        return Err(DiskError::conflict(Reason::Exists).into());
    }
    tracing::info!(user.id = id, actor.id = member.actor.id, "a disk user was made");
    let location = [(header::LOCATION, format!("{}/{id}", uri.path()))];
    Ok((StatusCode::CREATED, location, status_line(StatusCode::CREATED, None)).into_response())
}

/// 修改网盘用户
///
/// Changes a disk user. People may change about themselves how they see the disk (`viewMode`,
/// `singleClick`, `sorting`, `hideDotfiles`, `theme`, `locale`, `dateFormat`, `redirectAfterCopyMove`,
/// `aceEditorTheme`), administrators everything; name
/// and password are the platform's. Who gets `perm.admin` gets every permission.
#[utoipa::path(
    put, path = "/api/users/{id}", tag = "users", operation_id = "changeDiskUser",
    params(("id" = i64, Path, description = "the account's number")),
    request_body = Envelope,
    responses(
        (status = 200, description = "changed", body = String, content_type = "text/plain"),
        (status = 400, description = "malformed, an unknown field, or a value that can't be"),
        (status = 403, description = "for an administrator only"),
        (status = 404, description = "no account, or never on the disk"),
        (status = 503, description = "the portal can't keep it in its log, so nothing was changed"),
        (status = 507, description = "the disk is full"),
    )
)]
async fn change(
    State(profiles): State<Arc<Profiles>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
    address: ClientAddress,
    Path(id): Path<String>,
    JsonBody(envelope): JsonBody<Envelope>,
) -> HttpResult<Response> {
    let id = number(&member, &id)?;
    let change = envelope.read()?;
    require(member.may.admin || change.is_own())?;
    if change.id.is_some_and(|said| said != id) {
        return Err(DiskError::bad_request(Reason::OtherId).into());
    }
    let person = directory.person(id).await.map_err(DiskError::Unavailable)?.ok_or(DiskError::NotFound)?;
    if change.username.as_ref().is_some_and(|said| said.to_lowercase() != person.username.to_lowercase()) {
        return Err(DiskError::bad_request(Reason::UsernameOfAccount).into());
    }
    // A person's own display settings are not recorded.
    let is_own = change.is_own() && id == member.actor.id;
    if !is_own {
        let before = profiles.stored(id).await?.ok_or(DiskError::NotFound)?;
        let detail = changes(&before, &change.apply(&before)?)?;
        record(&*directory, &member, address, DiskAction::UserUpdate, &person.username, detail).await?;
    }
    profiles.change(id, |profile| change.apply(profile)).await?;
    if !is_own {
        tracing::info!(user.id = id, actor.id = member.actor.id, "a disk user was changed");
    }
    Ok(done())
}

/// 恢复网盘用户的默认设置
///
/// Resets a user's settings: at their next visit the defaults apply.
/// Their files stay.
#[utoipa::path(
    delete, path = "/api/users/{id}", tag = "users", operation_id = "resetDiskUser",
    params(("id" = i64, Path, description = "the account's number")),
    responses(
        (status = 200, description = "forgotten", body = String, content_type = "text/plain"),
        (status = 403, description = "not an administrator"),
        (status = 404, description = "never on the disk"),
        (status = 503, description = "the portal can't keep it in its log, so nothing was changed"),
        (status = 507, description = "the disk is full"),
    )
)]
async fn reset(
    State(profiles): State<Arc<Profiles>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
    address: ClientAddress,
    Path(id): Path<String>,
) -> HttpResult<Response> {
    // Not for the caller: permissions that an administrator took away would come back with the defaults.
    require(member.may.admin)?;
    let id = number(&member, &id)?;
    profiles.stored(id).await?.ok_or(DiskError::NotFound)?;
    let person = directory.person(id).await.map_err(DiskError::Unavailable)?;
    // A profile may outlast its account.
    let name = person.map_or_else(|| id.to_string(), |person| person.username.clone());
    record(&*directory, &member, address, DiskAction::UserReset, name, String::new()).await?;
    profiles.reset(id).await?;
    tracing::info!(user.id = id, actor.id = member.actor.id, "a disk user was reset");
    Ok(done())
}

/// The id in the URL: 403 for another user's unless the caller is an administrator, before revealing whether it exists.
fn number(member: &Member, text: &str) -> DiskResult<UserId> {
    let id = text.parse().ok();
    require(member.may.admin || id == Some(member.actor.id))?;
    id.ok_or(DiskError::NotFound)
}
