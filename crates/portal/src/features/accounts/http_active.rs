//! Enables and disables accounts, and shows what disabling would end.

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, Json, Problem, Query, Routes, routes};
use kernel::UserId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::disable::{self, Ended};
use crate::Portal;
use crate::features::instances::{self, RunningInstance};
use crate::features::logs::ActingAdministrator;
use crate::features::users;
use crate::features::{images, session, terminals};

const MOST: usize = 1000;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(set_active)).routes(routes!(holdings))
}

/// Switches accounts on or off.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ActiveRequest {
    #[schema(max_items = 1000)]
    ids: Vec<UserId>,
    active: bool,
    /// When accounts are disabled: whether what these people run is stopped. Their containers would otherwise go on,
    /// with open ports and cards. Enabling starts nothing.
    #[serde(default = "stops", rename = "stopInstances")]
    #[schema(default = true)]
    stop_instances: bool,
}

const fn stops() -> bool {
    true
}

/// The outcome of enabling or disabling accounts.
#[derive(Debug, Serialize, ToSchema)]
struct Changed {
    /// How many were otherwise before.
    changed: u64,
    /// Instances that are being stopped with that.
    #[serde(rename = "stoppedInstances")]
    stopped_instances: usize,
}

/// The people whose holdings are shown.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct HoldingsQuery {
    /// Ids with commas between them, at most 1000.
    ids: String,
}

/// What some people run and hold together, and what disabling their accounts would end.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Holdings {
    /// Instances that run or are about to, by owner and name.
    instances: Vec<RunningInstance>,
    /// Cards that these hold.
    gpus: usize,
    /// Terminals of the pages that are open in them.
    terminals: i64,
    /// Work on images that has not ended: it goes on to its end.
    image_jobs: i64,
    /// Sign-ins that are open.
    sign_ins: i64,
}

/// 启用或禁用用户
///
/// Switches accounts on or off. Switching off ends their sessions, app passwords and access tokens, and stops what they
/// run unless told otherwise; on a server that does not answer that happens when it does. Switching on starts nothing.
#[utoipa::path(post, path = "/api/users/active", operation_id = "users_active", tag = "users",
    request_body = ActiveRequest,
    responses((status = 200, body = Changed), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn set_active(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(request): Json<ActiveRequest>,
) -> ApiResult<Json<Changed>> {
    let ActiveRequest { ids, active, stop_instances } = request;
    check_number(&ids)?;
    if !active && ids.contains(&by.actor.id) {
        return Err(ApiError::conflict("self_disable", "不能禁用自己的账号"));
    }
    let tx = portal.db().begin().await?;
    let users = users::public_by_ids(&tx, &ids).await?;
    let mut ended = Ended::default();
    if !active {
        users::keep_an_admin(&tx, &ids).await?;
        ended = disable::end_all(&tx, &by, &ids, stop_instances).await?;
    }
    let changed = users::set_active(&tx, &ids, active).await?;
    if active {
        users::forget_past_ends(&tx, &ids, by.at).await?;
    }
    let names: Vec<String> = users.into_iter().map(|user| user.username).collect();
    let action = if active { "user.enable" } else { "user.disable" };
    by.record(&tx, action, names.join("、"), ended.in_words()).await?;
    tx.commit().await?;
    portal.wake_stopped(&ended.stopped);
    Ok(Json(Changed { changed, stopped_instances: ended.stopped.count() }))
}

/// 用户正在运行和占用的资源
///
/// What some people run and hold together: what disabling their accounts would stop.
#[utoipa::path(get, path = "/api/users/holdings", operation_id = "users_holdings", tag = "users",
    params(HoldingsQuery),
    responses((status = 200, body = Holdings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn holdings(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Query(query): Query<HoldingsQuery>,
) -> ApiResult<Json<Holdings>> {
    let ids: Result<Vec<UserId>, _> = query.ids.split(',').map(str::parse).collect();
    let ids = ids.map_err(|_| ApiError::bad_request("查询参数有误。ids 应为用逗号隔开的用户编号"))?;
    check_number(&ids)?;
    let db = portal.db();
    let instances = instances::running_of(db, &ids).await?;
    let in_them: Vec<&str> = instances.iter().map(RunningInstance::id).collect();
    Ok(Json(Holdings {
        terminals: terminals::count_open_in(db, &in_them).await?,
        image_jobs: images::count_open_jobs(db, &ids).await?,
        sign_ins: session::count_open_of(db, &ids, portal.now()).await?,
        gpus: instances.iter().map(RunningInstance::gpus).sum(),
        instances,
    }))
}

fn check_number(ids: &[UserId]) -> ApiResult<()> {
    if ids.is_empty() || ids.len() > MOST {
        return Err(ApiError::field("ids", format!("请选择 1 到 {MOST} 个用户")));
    }
    Ok(())
}
