//! Deleting accounts: the calls of SPEC §7.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Path, Problem, Routes, routes};
use kernel::UserId;

use super::deletion;
use crate::Portal;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::users;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(delete)).routes(routes!(delete_by_name))
}

/// 删除用户
///
/// Deletes a user. Their files stay on the disk.
#[utoipa::path(delete, path = "/api/users/{id}", operation_id = "users_delete", tag = "users",
    params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<UserId>,
) -> ApiResult<StatusCode> {
    remove(&portal, &by, id).await
}

/// 按用户名删除用户
///
/// Deletes a user by name.
#[utoipa::path(delete, path = "/api/users/name/{name}", operation_id = "users_delete_by_name", tag = "users",
    params(("name" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete_by_name(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(name): Path<String>,
) -> ApiResult<StatusCode> {
    let id = users::id_by_name(portal.db(), &name).await?.ok_or_else(|| ApiError::not_found("用户"))?;
    remove(&portal, &by, id).await
}

async fn remove(portal: &Portal, by: &Acting, id: UserId) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let user = users::account(&tx, id).await?;
    deletion::delete(&tx, by, &user).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
