//! `/api/settings/mail`: the settings of mail, their test, and failed deliveries.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, Json, Problem, Routes, routes};
use kernel::rules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::channels::mail::model::{Form, MailTarget, Security};
use super::channels::mail::report::MailReport;
use super::channels::mail::{self, MailContent};
use super::http_deliveries::{self, DeliveryFault, DeliveryLast, SHOWN};
use super::model::UserNoticeKind;
use super::store_outbox::{self, Channel, DeliveryRow};
use super::{outbox, store_mail};
use crate::Portal;
use crate::features::logs::ActingAdministrator;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get, put)).routes(routes!(test)).routes(routes!(retry, forget))
}

/// How mail leaves, and how it fares.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MailSettings {
    enabled: bool,
    host: String,
    port: u16,
    security: Security,
    username: String,
    /// Whether a password is kept; it is never shown.
    password_set: bool,
    from: String,
    from_name: String,
    ca_certificate: String,
    kinds: Vec<UserNoticeKind>,
    /// Mails that are still to be sent.
    waiting: i64,
    /// Mails that were given up.
    failed: i64,
    /// How the last mail by this server fared; null when there was none.
    last: Option<DeliveryLast>,
    /// Mails that failed at least once, the latest first, 20 at most.
    faults: Vec<DeliveryFault>,
}

/// Settings that need not be saved yet, and an address to send a mail to.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MailTest {
    mail: Form,
    #[schema(max_length = 254)]
    to: String,
}

/// 邮件通知的设置和状态
///
/// How mail leaves. The password reads as whether there is one.
#[utoipa::path(get, path = "/api/settings/mail", operation_id = "mail_get", tag = "settings",
    responses((status = 200, body = MailSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<MailSettings>> {
    Ok(Json(shown(&portal).await?))
}

/// 修改邮件通知
///
/// Sets how mail leaves. Switched off, the mails that wait are dropped.
#[utoipa::path(put, path = "/api/settings/mail", operation_id = "mail_put", tag = "settings", request_body = Form,
    responses((status = 200, body = MailSettings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<Form>,
) -> ApiResult<Json<MailSettings>> {
    let tx = portal.db().begin().await?;
    tx.serialize("mail settings").await?;
    let kept = store_mail::settings(&tx, portal.seal()).await?;
    let target = form.over(&kept, false)?;
    let same = (&target.server.host, target.server.port) == (&kept.server.host, kept.server.port);
    store_mail::put(&tx, portal.seal(), &target, same).await?;
    let dropped = if target.enabled { 0 } else { store_outbox::drop_waiting(&tx, Channel::Mail).await? };
    let detail = match (target.enabled, dropped) {
        (true, _) => "已启用".to_owned(),
        (false, 0) => "已停用".to_owned(),
        (false, dropped) => format!("已停用，丢弃等待发送的邮件 {dropped} 封"),
    };
    by.record(&tx, "settings.mail", place(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(shown(&portal).await?))
}

/// 发送测试邮件
///
/// Sends a mail with settings that need not be saved yet, and returns which steps succeeded. Without a password the
/// kept one is used, if host, port and user name are the kept ones.
#[utoipa::path(post, path = "/api/settings/mail/test", operation_id = "mail_test", tag = "settings",
    request_body = MailTest,
    responses((status = 200, body = MailReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn test(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(MailTest { mail: form, to }): Json<MailTest>,
) -> ApiResult<Json<MailReport>> {
    let kept = store_mail::settings(portal.db(), portal.seal()).await?;
    let target = form.over(&kept, true)?;
    let to = to.trim();
    if !rules::is_email(to) {
        return Err(ApiError::field("to", "应为邮箱地址"));
    }
    let from = outbox::sender(&portal).await?;
    let report = Box::pin(mail::try_out(&target.server, &from, &portal, &by.actor.username, to)).await?;
    let tx = portal.db().begin().await?;
    let detail = format!("发给 {to}：{}", report.fault().unwrap_or("对方已收下"));
    by.record(&tx, "settings.mail_test", place(&target), detail).await?;
    tx.commit().await?;
    Ok(Json(report))
}

/// 重新发送已放弃的邮件
///
/// Has the mails sent again that were given up.
#[utoipa::path(post, path = "/api/settings/mail/failed", operation_id = "mail_retry", tag = "settings",
    responses((status = 200, body = MailSettings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn retry(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
) -> ApiResult<Json<MailSettings>> {
    http_deliveries::revive(&portal, &by, Channel::Mail, "settings.mail_retry").await?;
    Ok(Json(shown(&portal).await?))
}

/// 清除已放弃的邮件
///
/// Drops the mails that were given up.
#[utoipa::path(delete, path = "/api/settings/mail/failed", operation_id = "mail_forget", tag = "settings",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn forget(State(portal): State<Portal>, ActingAdministrator(by): ActingAdministrator) -> ApiResult<StatusCode> {
    http_deliveries::forget(&portal, &by, Channel::Mail, "settings.mail_forget").await?;
    Ok(StatusCode::NO_CONTENT)
}

fn place(target: &MailTarget) -> String {
    if target.server.host.is_empty() { String::new() } else { format!("{}:{}", target.server.host, target.server.port) }
}

async fn shown(portal: &Portal) -> ApiResult<MailSettings> {
    let db = portal.db();
    let MailTarget { enabled, server, kinds } = store_mail::settings(db, portal.seal()).await?;
    let title = |row: &DeliveryRow| MailContent::kept(&row.content).map(|content| content.title).unwrap_or_default();
    let failed = store_outbox::failed(db, Channel::Mail, SHOWN).await?;
    Ok(MailSettings {
        enabled,
        host: server.host,
        port: server.port,
        security: server.security,
        username: server.username,
        password_set: !server.password.expose().is_empty(),
        from: server.from,
        from_name: server.from_name,
        ca_certificate: server.ca_certificate,
        kinds: kinds.into_iter().collect(),
        waiting: store_outbox::waiting(db, Channel::Mail).await?,
        failed: store_outbox::given_up(db, Channel::Mail).await?,
        last: store_mail::last(db).await?.and_then(DeliveryLast::of),
        faults: failed.into_iter().map(|row| DeliveryFault::of(title(&row), row)).collect(),
    })
}
