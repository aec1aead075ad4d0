//! `/api/duties`: the background duties, for administrators.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};

use super::model::{DutyList, DutyView};
use super::view;
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::peers::Word;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(run))
}

/// 后台任务和它们最近的结果
///
/// All background duties and how they went.
#[utoipa::path(get, path = "/api/duties", operation_id = "duties_list", tag = "duties",
    responses((status = 200, body = DutyList), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn list(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<DutyList>> {
    Ok(Json(view::list(&portal).await?))
}

/// 立即运行一项后台任务
///
/// Has a duty run at once, in each portal where it is at work. The answer does not wait for the run.
#[utoipa::path(post, path = "/api/duties/{name}/run", operation_id = "duties_run", tag = "duties",
    params(("name" = String, Path)),
    responses((status = 202, body = DutyView), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn run(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(name): Path<String>,
) -> ApiResult<(StatusCode, Json<DutyView>)> {
    let known = view::list(&portal).await?.items.into_iter().find(|duty| duty.name == name);
    let known = known.ok_or_else(|| ApiError::not_found("后台任务"))?;
    if known.needs_trusted_clock && portal.clock().hold().is_some() {
        let message = "系统时间异常，这项任务已暂停。请先核对时间并恢复";
        return Err(ApiError::conflict("clock_not_trusted", message));
    }
    let tx = portal.db().begin().await?;
    by.record(&tx, "duty.run", known.title.clone(), "").await?;
    tx.commit().await?;
    portal.activate_duty(&name);
    portal.tell_peers(Word::RunDuty { duty: name.clone() });
    let duty = view::list(&portal).await?.items.into_iter().find(|duty| duty.name == name).unwrap_or(known);
    Ok((StatusCode::ACCEPTED, Json(duty)))
}
