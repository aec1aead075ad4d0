//! `/api/profile/app-passwords`: the caller's app passwords.

use axum::extract::State;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};

use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes, secret_digest, uncompressed};
use kernel::Page;

use super::model::{AppPassword, AppPasswordForm, MOST, NewAppPassword, RANDOM_BYTES, folder_path, spelled};
use super::store;
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::session;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(delete)).layer(map_response(uncompressed))
}

/// 我的应用密码
///
/// The caller's app passwords, without the secrets.
#[utoipa::path(get, path = "/api/profile/app-passwords", operation_id = "app_passwords_list", tag = "profile",
    responses((status = 200, body = Page<AppPassword>), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Page<AppPassword>>> {
    Ok(Json(Page::whole(store::all_of(portal.db(), actor.id).await?)))
}

/// 新建应用密码（只显示这一次）
///
/// Makes an app password, and shows it this once. 422 `password_required` where the login password was not given within
/// the last five minutes.
#[utoipa::path(post, path = "/api/profile/app-passwords", operation_id = "app_passwords_create", tag = "profile",
    request_body = AppPasswordForm,
    responses((status = 201, body = NewAppPassword, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn create(State(portal): State<Portal>, by: Acting, Json(form): Json<AppPasswordForm>) -> ApiResult<Response> {
    let created = by.at;
    let faults = form.faults(created);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let folder = form.folder.as_deref().and_then(folder_path).filter(|path| !path.is_empty()).map(str::to_owned);
    let name = form.name.trim().to_owned();
    session::require_password(portal.db(), &by.actor, created).await?;
    let password = random_secret()?;
    let id = uuid::Uuid::now_v7().to_string();
    let location = HeaderValue::from_str(&format!("/api/profile/app-passwords/{id}")).map_err(ApiError::internal)?;
    let entry = AppPassword { id, name, created, expires: form.expires, folder, last_used: None };
    let tx = portal.db().begin().await?;
    if store::count_of(&tx, by.actor.id).await? >= MOST {
        return Err(ApiError::field("name", format!("最多 {MOST} 个应用密码，请先删除不用的")));
    }
    store::insert(&tx, by.actor.id, &entry, secret_digest(&password)).await?;
    by.record(&tx, "app_password.create", &entry.name, "").await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(NewAppPassword { entry, password })).into_response())
}

/// A new secret, in letters and digits.
pub(crate) fn random_secret() -> ApiResult<String> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(spelled(&bytes))
}

/// 撤销应用密码
///
/// Ends an app password; what used it is signed out at once.
#[utoipa::path(delete, path = "/api/profile/app-passwords/{id}", operation_id = "app_passwords_delete", tag = "profile",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let name = store::name(&tx, by.actor.id, &id).await?.ok_or_else(|| ApiError::not_found("应用密码"))?;
    store::delete(&tx, by.actor.id, &id).await?;
    by.record(&tx, "app_password.delete", name, "").await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
