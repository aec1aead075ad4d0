//! `/api/instances/{id}/go-on`: after making room.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};

use super::frozen::{self, FreezeReason};
use super::http::{known, record};
use super::model::InstanceView;
use super::{InstanceState, changes, policy, view};
use crate::Portal;
use crate::features::disk_space::{self, SpaceHolder};
use crate::features::logs::Acting;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(go_on))
}

/// 清理空间后让冻结的实例继续运行
///
/// Lets an instance go on that was frozen because nothing was left of a quota. Of the network disk there must be room
/// by now; of its own root it is made inside, so that the grace period begins anew. Administrators may in any case, and
/// the grace period begins anew, too. One that goes on already is answered as it is.
#[utoipa::path(post, path = "/api/instances/{id}/go-on", operation_id = "instances_go_on", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn go_on(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    let (one, standing) = known(portal.db(), &by.actor, &id).await?;
    policy::may_change(standing)?;
    match &one.frozen_for {
        // A count found the space first and thawed it.
        None if one.state == InstanceState::Running && !one.is_suspended() => {
            return Ok((StatusCode::ACCEPTED, Json(view::one_shown(&portal, &by.actor, one).await?)).into_response());
        }
        None => return Err(ApiError::conflict("instance_state", "实例没有被冻结")),
        // If the count finds space, it thaws the instance.
        Some(SpaceHolder::Disk(holder)) => portal.count_disk_use(*holder).await.map_err(ApiError::internal)?,
        Some(SpaceHolder::Root(_)) => {}
    }
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (before, _) = known(&tx, &by.actor, &id).await?;
    let Some(holder) = before.frozen_for.clone() else {
        by.record(&tx, "instance.go_on", &before.name, one.state_reason).await?;
        tx.commit().await?;
        let shown = view::one_shown(&portal, &by.actor, before).await?;
        return Ok((StatusCode::ACCEPTED, Json(shown)).into_response());
    };
    let reason = FreezeReason::of(&holder);
    if !by.actor.is_admin()
        && reason != FreezeReason::Root
        && let Some(level) = disk_space::level_of(&tx, &holder, now).await?.filter(|level| level.is_full())
    {
        let message = format!("空间还不够：{}。清理网盘和回收站后再试", disk_space::amount(&level));
        return Err(ApiError::conflict("disk_quota_exceeded", message));
    }
    if !by.actor.is_admin() && reason == FreezeReason::Root {
        disk_space::note_gone_on(&tx, &holder, now).await?;
    }
    let why = before.state_reason.clone();
    let one = frozen::thaw(&tx, &before, &by.actor.username, now).await?.ok_or_else(changes::changed_meanwhile)?;
    disk_space::restart_grace(&tx, &holder, now).await?;
    by.record(&tx, "instance.go_on", &one.name, why).await?;
    tx.commit().await?;
    portal.wake_server(&one.server);
    Ok((StatusCode::ACCEPTED, Json(view::one_shown(&portal, &by.actor, one).await?)).into_response())
}
