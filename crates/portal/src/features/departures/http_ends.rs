//! When an account ends.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::{Timestamp, UserId};
use serde::Deserialize;
use utoipa::ToSchema;

use super::start::hold;
use super::store;
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::users::{self, User};
use crate::lab_time;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(set_end))
}

/// When an account ends.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AccountEnd {
    /// Null: never.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(value_type = Option<String>, format = DateTime)]
    end: Option<Timestamp>,
}

/// 设置账号的到期时间
///
/// Sets when an account is disabled by itself, or that it is not, which drops a departure that waits for the end.
/// Users are notified 14 and 3 days before.
#[utoipa::path(put, path = "/api/users/{id}/end", operation_id = "users_set_end", tag = "users",
    params(("id" = i64, Path)), request_body = AccountEnd,
    responses((status = 200, body = User), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn set_end(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<UserId>,
    Json(form): Json<AccountEnd>,
) -> ApiResult<Json<User>> {
    if let Some(end) = form.end {
        users::check_moment(end, by.at, "end")?;
    }
    if by.actor.id == id && form.end.is_some() {
        return Err(ApiError::conflict("self_end", "不能给自己的账号设置到期时间，请由其他管理员设置"));
    }
    let tx = portal.db().begin().await?;
    // The same lock order as for a departure that is begun or whose plan changes.
    hold(&tx, id).await?;
    let user = users::account(&tx, id).await?;
    users::set_end(&tx, id, form.end).await?;
    // A plan that waits for an end would wait for ever.
    let dropped = form.end.is_none() && store::forget_planned(&tx, id).await? > 0;
    let detail = match form.end {
        Some(end) => format!("账号到期：{}", lab_time::in_words(end)),
        None if dropped => "账号不再到期，到期时的离开计划随之取消".to_owned(),
        None => "账号不再到期".to_owned(),
    };
    by.record(&tx, "user.update", user.username, detail).await?;
    let user = users::account(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(user))
}
