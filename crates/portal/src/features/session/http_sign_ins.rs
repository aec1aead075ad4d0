//! Lists and ends sign-ins: the caller's own, and for administrators those of any user.

use axum::extract::{DefaultBodyLimit, State};
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, AuthError, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Page, UserId};

use super::confirm;
use super::lifetimes::Lifetimes;
use super::model::{Confirmation, EndedSignIns, MAX_LOGIN_BYTES, SignInEntry};
use super::store;
use crate::Portal;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::{settings, users};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(confirm_password))
        .layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES))
        .routes(routes!(own, end_others))
        .routes(routes!(end_own))
        .routes(routes!(of_user, end_all_of_user))
        .routes(routes!(end_of_user))
}

/// 再次确认密码
///
/// Confirms the password. For five minutes, this sign-in may then make the calls that answer 422 `password_required`
/// otherwise. Access tokens never need it.
#[utoipa::path(post, path = "/api/auth/confirm", operation_id = "session_confirm", tag = "session",
    request_body = Confirmation,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 413, body = Problem), (status = 415, body = Problem), (status = 422, body = Problem),
        (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn confirm_password(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Json(request): Json<Confirmation>,
) -> ApiResult<StatusCode> {
    confirm::confirm(&portal, &actor, &request.password).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// 我的登录设备
///
/// Lists the caller's sign-ins, most recently used first.
#[utoipa::path(get, path = "/api/profile/sign-ins", operation_id = "sign_ins_list", tag = "profile",
    responses((status = 200, body = Page<SignInEntry>), (status = 401, body = Problem)))]
async fn own(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Page<SignInEntry>>> {
    let current = store::sign_in_of(portal.db(), &actor.session).await?.ok_or(AuthError::Ended)?;
    list(&portal, actor.id, Some(&current.id)).await
}

/// 退出其他所有设备
///
/// Ends all sign-ins of the caller except the current one.
#[utoipa::path(delete, path = "/api/profile/sign-ins", operation_id = "sign_ins_end_others", tag = "profile",
    responses((status = 200, body = EndedSignIns), (status = 401, body = Problem)))]
async fn end_others(State(portal): State<Portal>, by: Acting) -> ApiResult<Json<EndedSignIns>> {
    let tx = portal.db().begin().await?;
    let current = store::sign_in_of(&tx, &by.actor.session).await?.ok_or(AuthError::Ended)?;
    let ended = store::end_others_of(&tx, by.actor.id, &current.id).await?;
    by.record(&tx, "sign_in.end_all", &by.actor.username, format!("{ended} 处，本机除外")).await?;
    tx.commit().await?;
    Ok(Json(EndedSignIns { ended }))
}

/// 退出一台设备
///
/// Ends one sign-in of the caller, which may be the current one.
#[utoipa::path(delete, path = "/api/profile/sign-ins/{id}", operation_id = "sign_ins_end", tag = "profile",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn end_own(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    end(&portal, &by, (by.actor.id, &by.actor.username), &id).await
}

/// 用户的登录设备
///
/// Lists a user's sign-ins, most recently used first.
#[utoipa::path(get, path = "/api/users/{id}/sign-ins", operation_id = "users_sign_ins", tag = "users",
    params(("id" = i64, Path)),
    responses((status = 200, body = Page<SignInEntry>), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn of_user(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    Path(user): Path<UserId>,
) -> ApiResult<Json<Page<SignInEntry>>> {
    known(&portal, user).await?;
    let current = store::sign_in_of(portal.db(), &actor.session).await?;
    list(&portal, user, current.as_ref().map(|current| current.id.as_str())).await
}

/// 让用户在所有设备上退出
///
/// Ends all sign-ins of a user.
#[utoipa::path(delete, path = "/api/users/{id}/sign-ins", operation_id = "users_end_sign_ins", tag = "users",
    params(("id" = i64, Path)),
    responses((status = 200, body = EndedSignIns), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn end_all_of_user(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(user): Path<UserId>,
) -> ApiResult<Json<EndedSignIns>> {
    let username = known(&portal, user).await?;
    let tx = portal.db().begin().await?;
    let ended = store::end_all_of(&tx, user).await?;
    by.record(&tx, "sign_in.end_all", username, format!("{ended} 处")).await?;
    tx.commit().await?;
    Ok(Json(EndedSignIns { ended }))
}

/// 让用户在一台设备上退出
///
/// Ends one sign-in of a user.
#[utoipa::path(delete, path = "/api/users/{id}/sign-ins/{sign_in}", operation_id = "users_end_sign_in", tag = "users",
    params(("id" = i64, Path), ("sign_in" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn end_of_user(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path((user, sign_in)): Path<(UserId, String)>,
) -> ApiResult<StatusCode> {
    let username = known(&portal, user).await?;
    end(&portal, &by, (user, &username), &sign_in).await
}

async fn list(portal: &Portal, user: UserId, current: Option<&str>) -> ApiResult<Json<Page<SignInEntry>>> {
    let now = portal.now();
    let used_after = Lifetimes::of(&settings::read(portal.db()).await?).used_after(now);
    Ok(Json(Page::whole(store::sign_ins_of(portal.db(), user, now, used_after, current).await?)))
}

async fn end(portal: &Portal, by: &Acting, (user, username): (UserId, &str), sign_in: &str) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    if !store::end_sign_in_of(&tx, user, sign_in).await? {
        return Err(ApiError::not_found("登录"));
    }
    by.record(&tx, "sign_in.end", username, "").await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the user's name; 404 if there is no such user.
async fn known(portal: &Portal, user: UserId) -> ApiResult<String> {
    let facts = users::disk_facts(portal.db(), user).await?;
    Ok(facts.ok_or_else(|| ApiError::not_found("用户"))?.username)
}
