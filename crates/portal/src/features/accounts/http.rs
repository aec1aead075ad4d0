//! Changing an account, which may disable it.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::UserId;

use super::disable::{self, Ended};
use super::http_active;
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::session;
use crate::features::settings::LocalSettings;
use crate::features::users::{self, OWN_FIELDS, User, UserPayload};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(update)).merge(http_active::routes())
}

/// 修改用户
///
/// Changes a user: the caller in some fields, or any user in all fields for administrators. 422 `password_required`
/// where that changes the role and the login password was not given within the last five minutes. `active: false` also
/// stops what the person runs; `POST /api/users/active` can leave it running.
#[utoipa::path(put, path = "/api/users/{id}", operation_id = "users_update", tag = "users",
    params(("id" = i64, Path)), request_body = UserPayload,
    responses((status = 200, body = User), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn update(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<UserId>,
    Json(payload): Json<UserPayload>,
) -> ApiResult<Json<User>> {
    users::may_know(&by.actor, id)?;
    if !by.actor.is_admin() {
        payload.only(OWN_FIELDS)?;
    }
    let names = payload.names.iter().cloned().collect::<Vec<_>>().join("、");
    let mut fields = payload.fields.trimmed();
    let tx = portal.db().begin().await?;
    users::hold(&tx, id).await?;
    let old = users::account(&tx, id).await?;
    // A form sends the name back unchanged.
    if fields.username.as_deref() == Some(old.username.as_str()) {
        fields.username = None;
    }
    let faults = fields.faults(false, LocalSettings::default(), old.quotas());
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    if fields.role.is_some_and(|role| role != old.role) {
        session::require_password(&tx, &by.actor, by.at).await?;
    }
    users::check_change(&tx, &by, &old, &fields).await?;
    // Only on the change to disabled: instances that were left running keep running.
    let disables = fields.active == Some(false);
    let ended = if disables { disable::end_all(&tx, &by, &[old.id], true).await? } else { Ended::default() };
    users::change(&tx, &by, &old, &fields).await?;
    let detail = [names, ended.in_words()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("；");
    by.record(&tx, "user.update", old.username, detail).await?;
    let user = users::account(&tx, id).await?;
    tx.commit().await?;
    portal.wake_stopped(&ended.stopped);
    Ok(Json(user))
}
