//! Reading and changing the settings (SPEC §7).

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, ClientAddress, Json, Problem};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::model::{PublicSettings, Settings, SettingsUpdate};
use super::store;
use crate::Portal;
use crate::features::logs::{self, Operation};

pub(crate) fn routes() -> OpenApiRouter<Portal> {
    OpenApiRouter::new().routes(routes!(get_settings, put_settings)).routes(routes!(public_settings))
}

/// All settings; kept passwords read as empty.
#[utoipa::path(get, path = "/api/settings", operation_id = "settings_get", tag = "settings",
    responses((status = 200, body = Settings), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get_settings(State(portal): State<Portal>, _administrator: Administrator) -> ApiResult<Json<Settings>> {
    Ok(Json(without_secrets(store::read(portal.db()).await?)))
}

/// Replaces the parts that are given.
#[utoipa::path(put, path = "/api/settings", operation_id = "settings_put", tag = "settings",
    request_body = SettingsUpdate,
    responses((status = 200, body = Settings), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put_settings(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(update): Json<SettingsUpdate>,
) -> ApiResult<Json<Settings>> {
    let mut faults = update.basic.as_ref().map(|part| part.faults()).unwrap_or_default();
    faults.extend(update.authentication.as_ref().map(|part| part.faults()).unwrap_or_default());
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let tx = portal.db().begin().await?;
    tx.serialize("settings").await?;
    let mut settings = store::read(&tx).await?;
    let mut changed = Vec::new();
    if let Some(basic) = update.basic {
        changed.push("基本设置");
        settings.basic = basic;
    }
    if let Some(mut authentication) = update.authentication {
        changed.push("认证设置");
        let ldap = &mut authentication.ldap;
        if ldap.bind_password.is_empty() && ldap.bind_password_set {
            ldap.bind_password = settings.authentication.ldap.bind_password;
        }
        ldap.bind_password_set = !ldap.bind_password.is_empty();
        settings.authentication = authentication;
    }
    let at = portal.now();
    store::write(&tx, &settings, at).await?;
    let operation = Operation {
        actor: &actor,
        address: address.to_string(),
        action: "settings.update",
        target: changed.join("、"),
        detail: String::new(),
    };
    logs::record(&tx, at, operation).await?;
    tx.commit().await?;
    Ok(Json(without_secrets(settings)))
}

/// What pages need before anybody signs in.
#[utoipa::path(get, path = "/api/settings/public", operation_id = "settings_public", tag = "settings",
    responses((status = 200, body = PublicSettings)))]
async fn public_settings(State(portal): State<Portal>) -> ApiResult<Json<PublicSettings>> {
    Ok(Json(store::read(portal.db()).await?.public()))
}

fn without_secrets(mut settings: Settings) -> Settings {
    settings.authentication.ldap.bind_password.clear();
    settings
}
