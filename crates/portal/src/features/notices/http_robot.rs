//! `/api/settings/webhook`: the settings of the group channel, their test, and failed deliveries.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiResult, Json, Problem, Routes, routes};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

use super::channels::robot::message::Message;
use super::channels::robot::model::{Event, Form, Format, GroupNotice, Target};
use super::channels::robot::report::WebhookReport;
use super::channels::robot::send;
use super::http_deliveries::{self, DeliveryFault, DeliveryLast, SHOWN};
use super::store_outbox::{self, Channel, DeliveryRow};
use super::{outbox, store_robot};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::reach::Reach;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get, put)).routes(routes!(test)).routes(routes!(retry)).routes(routes!(forget))
}

/// Where notices go, and how they fare.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WebhookSettings {
    enabled: bool,
    address: String,
    format: Format,
    /// Whether a secret is kept; it is never shown.
    secret_set: bool,
    events: Vec<Event>,
    /// Notices that are still to be sent.
    waiting: i64,
    /// Notices that were given up.
    failed: i64,
    /// How the last message to this address fared; null when there was none.
    last: Option<DeliveryLast>,
    /// Notices that failed at least once, the latest first, 20 at most.
    faults: Vec<DeliveryFault>,
}

/// 消息通知的设置和状态
///
/// Where notices go. The secret reads as whether there is one.
#[utoipa::path(get, path = "/api/settings/webhook", operation_id = "webhook_get", tag = "settings",
    responses((status = 200, body = WebhookSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<WebhookSettings>> {
    Ok(Json(shown(&portal).await?))
}

/// 修改消息通知
///
/// Sets where notices go. Switched off, those that wait are dropped.
#[utoipa::path(put, path = "/api/settings/webhook", operation_id = "webhook_put", tag = "settings",
    request_body = Form,
    responses((status = 200, body = WebhookSettings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<Form>,
) -> ApiResult<Json<WebhookSettings>> {
    let tx = portal.db().begin().await?;
    tx.serialize("webhook").await?;
    let kept = store_robot::target(&tx, portal.seal()).await?;
    let target = form.over(&kept, false)?;
    store_robot::put_target(&tx, portal.seal(), &target, target.address == kept.address).await?;
    let dropped = if target.enabled { 0 } else { store_outbox::drop_waiting(&tx, Channel::Robot).await? };
    let detail = match (target.enabled, dropped) {
        (true, _) => "已启用".to_owned(),
        (false, 0) => "已停用".to_owned(),
        (false, dropped) => format!("已停用，丢弃等待发送的通知 {dropped} 条"),
    };
    by.record(&tx, "settings.webhook", host(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(shown(&portal).await?))
}

/// 发送测试消息
///
/// Sends a message with settings that need not be saved yet, and returns which steps succeeded. Without
/// a secret the kept one is used, if the address and the format are the kept ones.
#[utoipa::path(post, path = "/api/settings/webhook/test", operation_id = "webhook_test", tag = "settings",
    request_body = Form,
    responses((status = 200, body = WebhookReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn test(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<Form>,
) -> ApiResult<Json<WebhookReport>> {
    let kept = store_robot::target(portal.db(), portal.seal()).await?;
    let target = form.over(&kept, true)?;
    let from = outbox::sender(&portal).await?;
    let message = Message {
        id: uuid::Uuid::now_v7().to_string(),
        event: None,
        created: portal.now(),
        notice: GroupNotice::Test { by: by.actor.username.clone() },
    };
    let report = send::send(&target, &from, &message, portal.now(), Reach::read(portal.db()).await?).await;
    let tx = portal.db().begin().await?;
    let detail = report.fault().unwrap_or("对方已收下").to_owned();
    by.record(&tx, "settings.webhook_test", host(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(report))
}

/// 重新发送已放弃的通知
///
/// Tries the notices again that were given up.
#[utoipa::path(post, path = "/api/settings/webhook/failed", operation_id = "webhook_retry", tag = "settings",
    responses((status = 200, body = WebhookSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn retry(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
) -> ApiResult<Json<WebhookSettings>> {
    http_deliveries::revive(&portal, &by, Channel::Robot, "settings.webhook_retry").await?;
    Ok(Json(shown(&portal).await?))
}

/// 清除已放弃的通知
///
/// Drops the notices that were given up.
#[utoipa::path(delete, path = "/api/settings/webhook/failed", operation_id = "webhook_forget", tag = "settings",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn forget(State(portal): State<Portal>, ActingAdministrator(by): ActingAdministrator) -> ApiResult<StatusCode> {
    http_deliveries::forget(&portal, &by, Channel::Robot, "settings.webhook_forget").await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The loggable part of a target: the rest of a robot's URL contains its key.
fn host(target: &Target) -> String {
    let url = Url::parse(target.address.expose()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

async fn shown(portal: &Portal) -> ApiResult<WebhookSettings> {
    let db = portal.db();
    let target = store_robot::target(db, portal.seal()).await?;
    let title = |row: &DeliveryRow| GroupNotice::kept(&row.content).map(|notice| notice.title()).unwrap_or_default();
    let failed = store_outbox::failed(db, Channel::Robot, SHOWN).await?;
    Ok(WebhookSettings {
        enabled: target.enabled,
        address: target.address.expose().to_owned(),
        format: target.format,
        secret_set: !target.secret.expose().is_empty(),
        events: target.events.into_iter().collect(),
        waiting: store_outbox::waiting(db, Channel::Robot).await?,
        failed: store_outbox::given_up(db, Channel::Robot).await?,
        last: store_robot::last(db).await?.and_then(DeliveryLast::of),
        faults: failed.into_iter().map(|row| DeliveryFault::of(title(&row), row)).collect(),
    })
}
