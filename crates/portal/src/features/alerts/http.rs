//! `/api/alerts`: faults of the lab, for administrators.

use std::time::Duration;

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::{Page, Timestamp};

use super::model::{Alert, AlertQuery, AlertSilence};
use super::store;
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::logs::{Acting, ActingAdministrator};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(silence, unsilence))
}

/// 告警列表
///
/// Faults of the lab, those that are not over first.
#[utoipa::path(get, path = "/api/alerts", operation_id = "alerts_list", tag = "alerts", params(AlertQuery),
    responses((status = 200, body = Page<Alert>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(State(portal): State<Portal>, _: Administrator, query: AlertQuery) -> ApiResult<Json<Page<Alert>>> {
    Ok(Json(store::list(portal.db(), &query, portal.now()).await?))
}

/// 静默一条告警
///
/// There are no notices of it for this many hours, also when it comes again meanwhile.
#[utoipa::path(post, path = "/api/alerts/{id}/silence", operation_id = "alerts_silence", tag = "alerts",
    params(("id" = String, Path)), request_body = AlertSilence,
    responses((status = 200, body = Alert), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn silence(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(wanted): Json<AlertSilence>,
) -> ApiResult<Json<Alert>> {
    let faults = wanted.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let hours = wanted.hours.unsigned_abs();
    let change = SilenceChange {
        until: Some(by.at.plus(Duration::from_secs(hours * 3600))),
        by: &by.actor.username,
        action: "alert.silence",
        detail: format!("{hours} 小时"),
    };
    Ok(Json(set_silence(&portal, &by, &id, change).await?))
}

/// 取消静默
///
/// Its notices are sent again as others' are.
#[utoipa::path(delete, path = "/api/alerts/{id}/silence", operation_id = "alerts_unsilence", tag = "alerts",
    params(("id" = String, Path)),
    responses((status = 200, body = Alert), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn unsilence(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Json<Alert>> {
    let change = SilenceChange { until: None, by: "", action: "alert.unsilence", detail: String::new() };
    Ok(Json(set_silence(&portal, &by, &id, change).await?))
}

struct SilenceChange<'a> {
    until: Option<Timestamp>,
    by: &'a str,
    action: &'static str,
    detail: String,
}

async fn set_silence(portal: &Portal, by: &Acting, id: &str, change: SilenceChange<'_>) -> ApiResult<Alert> {
    let now = by.at;
    let tx = portal.db().begin().await?;
    let alert = store::by_id(&tx, id, now).await?;
    if alert.resolved.is_some() {
        return Err(ApiError::conflict("alert_resolved", "这条告警已经恢复，请刷新后再试"));
    }
    store::silence(&tx, id, change.until, change.by, now).await?;
    let target = format!("{}（{}）", alert.kind.label(), alert.name);
    by.record(&tx, change.action, target, change.detail).await?;
    let changed = store::by_id(&tx, id, now).await?;
    tx.commit().await?;
    portal.tell_pages(Audience::Administrators, Message::Alerts);
    Ok(changed)
}
