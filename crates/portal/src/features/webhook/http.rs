//! `/api/settings/webhook`: where notices go, trying that out, and what was given up.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiResult, ClientAddress, Json, Problem, Routes, routes};
use kernel::{Actor, Timestamp};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

use super::message::Message;
use super::model::{Event, Form, Format, Notice, Target};
use super::report::WebhookReport;
use super::{outbox, send, store};
use crate::Portal;
use crate::features::logs::{self, Operation};

/// Notices that failed, as many as are shown.
const SHOWN: i64 = 20;

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
    last: Option<WebhookLast>,
    /// Notices that failed at least once, the latest first, 20 at most.
    faults: Vec<WebhookFault>,
}

/// How a message fared.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct WebhookLast {
    time: Timestamp,
    /// Empty: it was taken.
    error: String,
}

/// A notice that failed.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct WebhookFault {
    id: String,
    title: String,
    /// When it happened.
    time: Timestamp,
    tries: i64,
    error: String,
    /// When it is tried next; null: it was given up.
    next: Option<Timestamp>,
}

/// Where notices go. The secret reads as whether there is one.
#[utoipa::path(get, path = "/api/settings/webhook", operation_id = "webhook_get", tag = "settings",
    responses((status = 200, body = WebhookSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<WebhookSettings>> {
    Ok(Json(shown(&portal).await?))
}

/// Sets where notices go. Switched off, those that wait are dropped.
#[utoipa::path(put, path = "/api/settings/webhook", operation_id = "webhook_put", tag = "settings",
    request_body = Form,
    responses((status = 200, body = WebhookSettings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(form): Json<Form>,
) -> ApiResult<Json<WebhookSettings>> {
    let tx = portal.db().begin().await?;
    tx.serialize("webhook").await?;
    let kept = store::target(&tx, portal.seal()).await?;
    let target = form.over(&kept, false)?;
    store::put_target(&tx, portal.seal(), &target, target.address == kept.address).await?;
    let dropped = if target.enabled { 0 } else { store::drop_waiting(&tx).await? };
    let detail = match (target.enabled, dropped) {
        (true, _) => "已启用".to_owned(),
        (false, 0) => "已停用".to_owned(),
        (false, dropped) => format!("已停用，丢弃等待发送的通知 {dropped} 条"),
    };
    let by = By { actor: &actor, address: address.to_string() };
    by.record(&portal, &tx, "settings.webhook", host(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(shown(&portal).await?))
}

/// Sends a message with settings that need not be saved yet, and tells which steps succeeded. Without
/// a secret the kept one is used, if the address and the format are the kept ones.
#[utoipa::path(post, path = "/api/settings/webhook/test", operation_id = "webhook_test", tag = "settings",
    request_body = Form,
    responses((status = 200, body = WebhookReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn test(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(form): Json<Form>,
) -> ApiResult<Json<WebhookReport>> {
    let kept = store::target(portal.db(), portal.seal()).await?;
    let target = form.over(&kept, true)?;
    let from = outbox::sender(&portal).await?;
    let message = Message {
        id: uuid::Uuid::now_v7().to_string(),
        event: None,
        created: portal.now(),
        notice: Notice::Test { by: actor.username.clone() },
    };
    let report = send::send(&target, &from, &message, portal.now()).await;
    let tx = portal.db().begin().await?;
    let by = By { actor: &actor, address: address.to_string() };
    let detail = report.fault().unwrap_or("对方已收下").to_owned();
    by.record(&portal, &tx, "settings.webhook_test", host(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(report))
}

/// Tries the notices again that were given up.
#[utoipa::path(post, path = "/api/settings/webhook/failed", operation_id = "webhook_retry", tag = "settings",
    responses((status = 200, body = WebhookSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn retry(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
) -> ApiResult<Json<WebhookSettings>> {
    let tx = portal.db().begin().await?;
    let count = store::revive(&tx, portal.now()).await?;
    let by = By { actor: &actor, address: address.to_string() };
    by.record(&portal, &tx, "settings.webhook_retry", String::new(), format!("{count} 条")).await?;
    tx.commit().await?;
    Ok(Json(shown(&portal).await?))
}

/// Drops the notices that were given up.
#[utoipa::path(delete, path = "/api/settings/webhook/failed", operation_id = "webhook_forget", tag = "settings",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn forget(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let count = store::forget(&tx).await?;
    let by = By { actor: &actor, address: address.to_string() };
    by.record(&portal, &tx, "settings.webhook_forget", String::new(), format!("{count} 条")).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

struct By<'a> {
    actor: &'a Actor,
    address: String,
}

impl By<'_> {
    async fn record(
        self,
        portal: &Portal,
        tx: &db_kit::Tx,
        action: &'static str,
        target: String,
        detail: String,
    ) -> ApiResult<()> {
        let operation = Operation { actor: self.actor, address: self.address, action, target, detail };
        logs::record(tx, portal.now(), operation).await
    }
}

/// What of an address may be written down: the rest of a robot's is its key.
fn host(target: &Target) -> String {
    let url = Url::parse(target.address.expose()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

async fn shown(portal: &Portal) -> ApiResult<WebhookSettings> {
    let db = portal.db();
    let target = store::target(db, portal.seal()).await?;
    let last = store::last(db).await?.and_then(|last| {
        last.last_time.map(|time| WebhookLast { time: Timestamp::from_millis(time), error: last.last_error })
    });
    let faults = store::failed(db, SHOWN).await?.into_iter().map(|row| WebhookFault {
        title: row.notice().map(|notice| notice.title()).unwrap_or_default(),
        time: row.created(),
        next: row.next(),
        tries: row.tries,
        error: row.error,
        id: row.id,
    });
    Ok(WebhookSettings {
        enabled: target.enabled,
        address: target.address.expose().to_owned(),
        format: target.format,
        secret_set: !target.secret.expose().is_empty(),
        events: target.events.into_iter().collect(),
        waiting: store::waiting(db).await?,
        failed: store::given_up(db).await?,
        last,
        faults: faults.collect(),
    })
}
