//! The calls of SPEC §7 "Platform users", except the five quota calls, and those that end what a user has (`accounts`,
//! `departures`).

use axum::extract::State;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes, uncompressed};
use kernel::{Actor, Page, Role, UserId};

use super::batch::{BatchRequest, BatchResult};
use super::form::{UserPayload, check_password};
use super::model::{PasswordRequest, PublicUser, PublicUserQuery, User, UserQuery};
use super::service;
use super::store::PasswordOrigin;
use super::{batch, http_grants, http_quota, store, store_accounts};
use crate::Portal;
use crate::check::Check;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::{access_tokens, app_passwords, session, settings};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(public_list))
        // It answers with the passwords that were generated.
        .merge(Routes::new().routes(routes!(batch_create)).layer(map_response(uncompressed)))
        .routes(routes!(get))
        .routes(routes!(set_password))
        .merge(http_grants::routes())
        .merge(http_quota::routes())
}

/// 用户列表，含配额
///
/// Users with their quotas.
#[utoipa::path(get, path = "/api/users", operation_id = "users_list", tag = "users", params(UserQuery),
    responses((status = 200, body = Page<User>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    _administrator: Administrator,
    query: UserQuery,
) -> ApiResult<Json<Page<User>>> {
    Ok(Json(store::list(portal.db(), &query).await?))
}

/// 所有人可见的用户名单
///
/// Active users as all users may see them; with a filter, those in groups that the caller leads.
#[utoipa::path(get, path = "/api/users/public", operation_id = "users_public", tag = "users", params(PublicUserQuery),
    responses((status = 200, body = Page<PublicUser>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn public_list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: PublicUserQuery,
) -> ApiResult<Json<Page<PublicUser>>> {
    Ok(Json(store::public_list(portal.db(), &actor, &query).await?))
}

/// 一个用户
///
/// One user: the caller, or any user for administrators.
#[utoipa::path(get, path = "/api/users/{id}", operation_id = "users_get", tag = "users",
    params(("id" = i64, Path)),
    responses((status = 200, body = User), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(State(portal): State<Portal>, SignedIn(actor): SignedIn, Path(id): Path<UserId>) -> ApiResult<Json<User>> {
    may_know(&actor, id)?;
    Ok(Json(store::by_id(portal.db(), id).await?))
}

/// 新建用户
///
/// Makes a user. With `mustChangePassword` the first sign-in has to choose another password, as after a reset; without
/// it the given one stays good. 422 `password_required` for an administrator, as where a role changes.
#[utoipa::path(post, path = "/api/users", operation_id = "users_create", tag = "users", request_body = UserPayload,
    responses((status = 201, body = User, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(payload): Json<UserPayload>,
) -> ApiResult<Response> {
    let fields = payload.fields.trimmed();
    let settings = settings::read(portal.db()).await?;
    let defaults = settings.basic.default_quotas;
    let faults = fields.faults(true, settings.authentication.local, defaults);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let password = fields.password.clone().unwrap_or_default();
    let hash = portal.passwords().hash(password.expose()).await?;
    let tx = portal.db().begin().await?;
    if fields.role == Some(Role::Admin) {
        session::require_password(&tx, &by.actor, by.at).await?;
    }
    let id = service::create(&tx, &by, &fields, &hash, defaults).await?;
    let user = store::by_id(&tx, id).await?;
    tx.commit().await?;
    let location = HeaderValue::from_str(&format!("/api/users/{id}")).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(user)).into_response())
}

/// 按表格批量新建用户
///
/// Makes many users from a pasted table; every line is independent. `mustChangePassword` holds for all of them.
#[utoipa::path(post, path = "/api/users/batch", operation_id = "users_batch", tag = "users",
    request_body = BatchRequest,
    responses((status = 200, body = BatchResult), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn batch_create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(request): Json<BatchRequest>,
) -> ApiResult<Json<BatchResult>> {
    Ok(Json(batch::run(&portal, &by, &request).await?))
}

/// 修改密码，并结束此人的所有登录
///
/// Changes a password and ends all sessions of that person. The caller's own needs the old password; another user's has
/// to be changed by them at their next sign-in. 422 `password_required` for another administrator's: with it the caller
/// could sign in as them.
#[utoipa::path(put, path = "/api/users/{id}/passwd", operation_id = "users_password", tag = "users",
    params(("id" = i64, Path)), request_body = PasswordRequest,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 429, body = Problem)))]
async fn set_password(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<UserId>,
    Json(request): Json<PasswordRequest>,
) -> ApiResult<StatusCode> {
    may_know(&by.actor, id)?;
    let user = store::by_id(portal.db(), id).await?;
    let local = settings::read(portal.db()).await?.authentication.local;
    let mut check = Check::default();
    check_password(&mut check, &user.username, request.new_password.expose(), local, "newPassword");
    check.finish()?;
    if user.is_from_directory() {
        return Err(ApiError::conflict("directory_password", "该账号来自目录服务，请在目录服务中修改密码"));
    }
    let own = by.actor.id == id;
    let mut kept = None;
    if own {
        // An administrator could unlock themselves.
        if !by.actor.is_admin() && store_accounts::is_password_locked(portal.db(), id).await? {
            return Err(ApiError::conflict("password_locked", "密码已被管理员锁定，请联系管理员修改"));
        }
        session::spend_try(&portal, &by.actor).await?;
        let old = request.old_password.unwrap_or_default();
        kept = store::password_hash(portal.db(), id).await?;
        if !portal.passwords().verify(old.expose(), kept.as_deref(), false).await? {
            return Err(ApiError::field("oldPassword", "原密码错误"));
        }
    }
    let hash = portal.passwords().hash(request.new_password.expose()).await?;
    let tx = portal.db().begin().await?;
    if !own && user.role == Role::Admin {
        session::require_password(&tx, &by.actor, portal.now()).await?;
    }
    if !own {
        let origin = PasswordOrigin { is_foreign: true, must_change: local.change_after_reset };
        store::set_password(&tx, id, &hash, origin).await?;
    } else if !store_accounts::replace_password(&tx, id, kept.as_deref(), &hash).await? {
        // A stolen session must not undo the reset that is to end it.
        return Err(ApiError::conflict("password_changed", "密码刚刚被修改，请重新登录后再试"));
    }
    session::end_all_of(&tx, id).await?;
    app_passwords::end_all_of(&tx, id).await?;
    access_tokens::end_all_of(&tx, id).await?;
    by.record(&tx, "user.password", user.username, String::new()).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Other users answer 404 to ordinary users.
pub(crate) fn may_know(actor: &Actor, id: UserId) -> ApiResult<()> {
    if actor.role == Role::Admin || actor.id == id { Ok(()) } else { Err(ApiError::not_found("用户")) }
}
