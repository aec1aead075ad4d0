//! `/api/profile/access-tokens`: the caller's access tokens.

use axum::extract::State;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};

use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes, secret_digest, uncompressed};
use kernel::Page;
use kernel::scope::ACCESS_TOKEN_PREFIX;

use super::model::{AccessTokenEntry, AccessTokenForm, MOST, NewAccessToken};
use super::store;
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::{app_passwords, session};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(delete)).layer(map_response(uncompressed))
}

/// 我的访问令牌
///
/// The caller's access tokens, without the secrets.
#[utoipa::path(get, path = "/api/profile/access-tokens", operation_id = "access_tokens_list", tag = "profile",
    responses((status = 200, body = Page<AccessTokenEntry>), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Page<AccessTokenEntry>>> {
    Ok(Json(Page::whole(store::all_of(portal.db(), actor.id).await?)))
}

/// 新建访问令牌（只显示这一次）
///
/// Makes an access token, and shows it this once. Only for who signed in (no token makes others) and gave the password
/// within the last five minutes, else 422 `password_required`.
#[utoipa::path(post, path = "/api/profile/access-tokens", operation_id = "access_tokens_create", tag = "profile",
    request_body = AccessTokenForm,
    responses((status = 201, body = NewAccessToken, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn create(State(portal): State<Portal>, by: Acting, Json(form): Json<AccessTokenForm>) -> ApiResult<Response> {
    let created = by.at;
    let faults = form.faults(by.actor.role, created);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    session::require_password(portal.db(), &by.actor, created).await?;
    let token = format!("{ACCESS_TOKEN_PREFIX}{}", app_passwords::random_secret()?);
    let id = uuid::Uuid::now_v7().to_string();
    let location = HeaderValue::from_str(&format!("/api/profile/access-tokens/{id}")).map_err(ApiError::internal)?;
    let scopes = serde_json::to_string(&form.scopes).map_err(ApiError::internal)?;
    let (name, expires) = (form.name.trim().to_owned(), form.expires);
    let entry =
        AccessTokenEntry { id, name, scopes: form.scopes.into_iter().collect(), created, expires, last_used: None };
    let tx = portal.db().begin().await?;
    if store::count_of(&tx, by.actor.id).await? >= MOST {
        return Err(ApiError::field("name", format!("最多 {MOST} 个访问令牌，请先撤销不用的")));
    }
    store::insert(&tx, by.actor.id, &entry, secret_digest(&token)).await?;
    let detail = format!("权限 {scopes}，有效期至 {expires}");
    by.record(&tx, "access_token.create", &entry.name, detail).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(NewAccessToken { entry, token })).into_response())
}

/// 撤销访问令牌
///
/// Ends an access token at once.
#[utoipa::path(delete, path = "/api/profile/access-tokens/{id}", operation_id = "access_tokens_delete", tag = "profile",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let known = store::by_id(&tx, &id).await?.filter(|token| token.user_id == by.actor.id);
    let known = known.ok_or_else(|| ApiError::not_found("访问令牌"))?;
    store::delete(&tx, &id).await?;
    by.record(&tx, "access_token.delete", known.name, "").await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
