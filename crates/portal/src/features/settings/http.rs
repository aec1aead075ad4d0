//! Reading and changing the settings (SPEC §7).

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, Json, MaybeSignedIn, Problem, Routes, routes};
use kernel::difference;

use super::model::{BasicSettings, PublicSettings, Settings, SettingsUpdate};
use super::model_forwarding::ForwardingSettings;
use super::model_network::NetworkSettings;
use super::model_retention::RetentionSettings;
use super::model_security::SecuritySettings;
use super::model_space::SpaceSettings;
use super::model_watch::WatchSettings;
use super::{secret, store};
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::logs::ActingAdministrator;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get_settings, put_settings)).routes(routes!(public_settings))
}

/// 全部设置
///
/// All settings; kept passwords read as empty.
#[utoipa::path(get, path = "/api/settings", operation_id = "settings_get", tag = "settings",
    responses((status = 200, body = Settings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get_settings(State(portal): State<Portal>, _administrator: Administrator) -> ApiResult<Json<Settings>> {
    Ok(Json(shown(&portal).await?))
}

/// All settings as administrators see them.
///
/// # Errors
/// When the database fails.
pub(crate) async fn shown(portal: &Portal) -> ApiResult<Settings> {
    Ok(without_secrets(store::read(portal.db()).await?))
}

/// 修改设置
///
/// Replaces the parts that are given.
#[utoipa::path(put, path = "/api/settings", operation_id = "settings_put", tag = "settings",
    request_body = SettingsUpdate,
    responses((status = 200, body = Settings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put_settings(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(update): Json<SettingsUpdate>,
) -> ApiResult<Json<Settings>> {
    let tx = portal.db().begin().await?;
    tx.serialize("settings").await?;
    let mut settings = store::read(&tx).await?;
    let before = serde_json::to_value(&settings).map_err(ApiError::internal)?;
    let mut faults = update.basic.as_ref().map(BasicSettings::faults).unwrap_or_default();
    let authentication = update.authentication.as_ref();
    faults.extend(authentication.map(|part| part.faults(&settings.authentication)).unwrap_or_default());
    faults.extend(update.watch.as_ref().map(WatchSettings::faults).unwrap_or_default());
    faults.extend(update.forwarding.as_ref().map(ForwardingSettings::faults).unwrap_or_default());
    faults.extend(update.security.as_ref().map(SecuritySettings::faults).unwrap_or_default());
    faults.extend(update.retention.as_ref().map(RetentionSettings::faults).unwrap_or_default());
    faults.extend(update.network.as_ref().map(NetworkSettings::faults).unwrap_or_default());
    faults.extend(update.space.as_ref().map(SpaceSettings::faults).unwrap_or_default());
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let mut changed = Vec::new();
    if let Some(basic) = update.basic {
        changed.push("基本设置");
        settings.basic = basic;
    }
    if let Some(mut authentication) = update.authentication {
        changed.push("认证设置");
        let ldap = &mut authentication.ldap;
        if ldap.keeps_password() {
            ldap.bind_password = settings.authentication.ldap.bind_password;
        } else {
            ldap.bind_password = secret::seal(&portal, &ldap.bind_password)?;
        }
        ldap.bind_password_set = !ldap.bind_password.is_empty();
        settings.authentication = authentication;
    }
    if let Some(watch) = update.watch {
        changed.push("异常行为监测");
        settings.watch = watch;
    }
    if let Some(forwarding) = update.forwarding {
        changed.push("日志转发");
        settings.forwarding = forwarding;
    }
    if let Some(security) = update.security {
        changed.push("安全设置");
        settings.security = security;
    }
    if let Some(retention) = update.retention {
        changed.push("数据保留");
        settings.retention = retention;
    }
    if let Some(network) = update.network {
        changed.push("实例网络");
        settings.network = network;
    }
    if let Some(space) = update.space {
        changed.push("空间配额");
        settings.space = space;
    }
    let after = serde_json::to_value(&settings).map_err(ApiError::internal)?;
    let at = portal.now();
    store::write(&tx, &settings, at).await?;
    by.record(
        &tx,
        "settings.update",
        changed.join("、"),
        difference(&before, &after, |name| name.ends_with("Password")),
    )
    .await?;
    tx.commit().await?;
    portal.tell_pages(Audience::Everyone, Message::Settings);
    Ok(Json(without_secrets(settings)))
}

/// 登录前就能看到的设置
///
/// What pages need before sign-in. The version only comes with a token.
#[utoipa::path(get, path = "/api/settings/public", operation_id = "settings_public", tag = "settings",
    responses((status = 200, body = PublicSettings)))]
async fn public_settings(
    State(portal): State<Portal>,
    MaybeSignedIn(actor): MaybeSignedIn,
) -> ApiResult<Json<PublicSettings>> {
    Ok(Json(store::read(portal.db()).await?.public(actor.is_some())))
}

fn without_secrets(mut settings: Settings) -> Settings {
    settings.authentication.ldap.bind_password.clear();
    settings
}
