//! `/api/clock`: whether the time is trusted, for administrators.

use axum::extract::State;
use http_kit::{Administrator, ApiResult, Json, Problem, Routes, routes};
use kernel::{Clock, GuardedClock};

use super::model::ClockState;
use super::{MARKS, watch};
use crate::Portal;
use crate::features::logs::{self, Acting, ActingAdministrator};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get)).routes(routes!(release))
}

/// 系统时间是否可信，其他时钟的时间
///
/// Whether the time is trusted, and what other clocks say.
#[utoipa::path(get, path = "/api/clock", operation_id = "clock_get", tag = "duties",
    responses((status = 200, body = ClockState), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<ClockState>> {
    Ok(Json(watch::state(&portal).await?))
}

/// 相信现在的系统时间，恢复暂停的任务
///
/// Believes the machine's clock as it stands, so that what was held goes on. Nothing happens while it is trusted.
#[utoipa::path(post, path = "/api/clock/release", operation_id = "clock_release", tag = "duties",
    responses((status = 200, body = ClockState), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn release(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
) -> ApiResult<Json<ClockState>> {
    if let Some(clock) = portal.clock().guarded().filter(|clock| clock.hold().is_some()) {
        believe(&portal, clock, &by).await?;
    }
    Ok(Json(watch::state(&portal).await?))
}

async fn believe(portal: &Portal, clock: &GuardedClock, by: &Acting) -> ApiResult<()> {
    let detail = format!("平台时间 {}，系统时间 {}", clock.now(), clock.wall());
    let operation = by.operation("clock.release", "系统时间", detail);
    let tx = portal.db().begin().await?;
    logs::record(&tx, clock.now(), operation).await?;
    tx.commit().await?;
    clock.release();
    portal.duties().activate_held();
    MARKS.write(portal.db(), portal.id(), clock).await?;
    Ok(())
}
