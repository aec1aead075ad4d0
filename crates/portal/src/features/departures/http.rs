//! `/api/departures`, for administrators.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::{Page, UserId};

use super::model::{
    Departure, DepartureDetail, DepartureForm, DepartureHoldings, DepartureItemState, DepartureQuery, DepartureRetry,
    DepartureState,
};
use super::{DUTY, file, holdings, http_deletion, http_ends, run, start, store, store_items};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::peers::Word;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(holdings_of))
        .routes(routes!(get, cancel))
        .routes(routes!(retry))
        .routes(routes!(download))
        .merge(http_deletion::routes())
        .merge(http_ends::routes())
}

/// 人员离开列表
///
/// Departures, the newest first.
#[utoipa::path(get, path = "/api/departures", operation_id = "departures_list", tag = "departures",
    params(DepartureQuery),
    responses((status = 200, body = Page<Departure>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    _administrator: Administrator,
    query: DepartureQuery,
) -> ApiResult<Json<Page<Departure>>> {
    Ok(Json(store::list(portal.db(), &query).await?))
}

/// 一个人拥有的全部资源
///
/// Everything that a user has, for the plan of their departure.
#[utoipa::path(get, path = "/api/departures/holdings/{user}", operation_id = "departures_holdings", tag = "departures",
    params(("user" = i64, Path)),
    responses((status = 200, body = DepartureHoldings), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn holdings_of(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Path(user): Path<UserId>,
) -> ApiResult<Json<DepartureHoldings>> {
    Ok(Json(holdings::of(portal.db(), user).await?))
}

/// 一次人员离开和每一项的进展
///
/// A departure with everything that it is about.
#[utoipa::path(get, path = "/api/departures/{id}", operation_id = "departures_get", tag = "departures",
    params(("id" = String, Path)),
    responses((status = 200, body = DepartureDetail), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Path(id): Path<String>,
) -> ApiResult<Json<DepartureDetail>> {
    Ok(Json(detail(&portal, &id).await?))
}

/// 办理离开
///
/// Starts a departure: the account is disabled, its instances stop, and everything is dealt with by the plan step
/// by step; at the end the account is deleted. Or keeps the plan until the account ends, over an earlier one. 409
/// `departure_exists` while the person leaves already, `holdings_changed` when they have other things than were shown.
#[utoipa::path(post, path = "/api/departures", operation_id = "departures_create", tag = "departures",
    request_body = DepartureForm,
    responses((status = 202, body = DepartureDetail, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<DepartureForm>,
) -> ApiResult<Response> {
    let tx = portal.db().begin().await?;
    let wanted = start::want(&tx, &by, &form).await?;
    tx.commit().await?;
    if let Some(off) = &wanted.off {
        portal.wake_stopped(off.stopped());
        go_on(&portal);
    }
    let location = HeaderValue::from_str(&format!("/api/departures/{}", wanted.id)).map_err(ApiError::internal)?;
    let detail = detail(&portal, &wanted.id).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(detail)).into_response())
}

/// 取消到期时的离开计划
///
/// Drops a plan that waits for the end of an account. What has begun can't be taken back.
#[utoipa::path(delete, path = "/api/departures/{id}", operation_id = "departures_cancel", tag = "departures",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn cancel(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let one = store::by_id(&tx, &id).await?;
    if !store::cancel(&tx, &id).await? {
        return Err(ApiError::conflict("departure_begun", "离开已经开始办理，不能取消"));
    }
    by.record(&tx, "departure.cancel", one.user.username, String::new()).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// 重试没有办成的项
///
/// Tries again what failed. With a plan, also while it goes on, what has failed or not begun is dealt with by that one,
/// and things that came later and are named in it are dealt with, too.
#[utoipa::path(post, path = "/api/departures/{id}/retry", operation_id = "departures_retry", tag = "departures",
    params(("id" = String, Path)), request_body = DepartureRetry,
    responses((status = 202, body = DepartureDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn retry(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<DepartureRetry>,
) -> ApiResult<(StatusCode, Json<DepartureDetail>)> {
    let tx = portal.db().begin().await?;
    let user = store::by_id(&tx, &id).await?.user.id;
    start::hold(&tx, user).await?;
    let one = store::by_id(&tx, &id).await?;
    let stuck = store::step(&tx, &id, DepartureState::Failed, DepartureState::Running, by.at).await?;
    let goes_on = one.state == DepartureState::Running && (form.plan.is_some() || one.failed > 0);
    if !stuck && !goes_on {
        return Err(ApiError::conflict("departure_not_failed", "没有失败的项，或别人刚刚已经重试"));
    }
    if let Some(plan) = &form.plan {
        start::replan(&tx, &one, plan, by.at).await?;
    }
    for item in store_items::of(&tx, &id).await? {
        if item.state == DepartureItemState::Failed {
            store_items::note(&tx, &id, &run::again(&item), by.at).await?;
        }
    }
    if stuck {
        start::add_job(&tx, &id, one.by_id, by.at).await?;
    }
    let change = if form.plan.is_some() { "改了离开计划".to_owned() } else { String::new() };
    by.record(&tx, "departure.retry", one.user.username, change).await?;
    tx.commit().await?;
    go_on(&portal);
    Ok((StatusCode::ACCEPTED, Json(detail(&portal, &id).await?)))
}

/// 下载办理结果
///
/// The outcome for each thing, as CSV.
#[utoipa::path(get, path = "/api/departures/{id}/file", operation_id = "departures_file", tag = "departures",
    params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn download(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let one = store::by_id(portal.db(), &id).await?;
    file::csv(&one, &store_items::of(portal.db(), &id).await?)
}

async fn detail(portal: &Portal, id: &str) -> ApiResult<DepartureDetail> {
    let departure = store::by_id(portal.db(), id).await?;
    Ok(DepartureDetail { departure, items: store_items::of(portal.db(), id).await? })
}

fn go_on(portal: &Portal) {
    portal.activate_duty(DUTY);
    portal.tell_peers(Word::RunDuty { duty: DUTY.to_owned() });
}
