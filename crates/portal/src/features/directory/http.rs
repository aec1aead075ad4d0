//! Trying the directory's settings out (SPEC §7).

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Problem, Routes, routes};
use kernel::Secret;

use super::check;
use super::model::{LdapCheck, LdapReport};
use super::sign_in::bind_password;
use crate::Portal;
use crate::features::logs::{self, ActingAdministrator};
use crate::features::settings::{self, AuthenticationSettings};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(check_ldap))
}

/// 测试目录设置
///
/// Tries settings before they are saved: which steps of a sign-in succeed, and which user is found.
///
/// Without a bind password the kept one is used, if the address and the account are the kept ones.
#[utoipa::path(put, path = "/api/settings/authentication/checkLDAP", operation_id = "settings_check_ldap",
    tag = "settings", request_body = LdapCheck,
    responses((status = 200, body = LdapReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn check_ldap(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(LdapCheck { ldap, username }): Json<LdapCheck>,
) -> ApiResult<Json<LdapReport>> {
    let kept = settings::read(portal.db()).await?.authentication;
    let username = username.trim();
    let faults = ldap.faults(true, &kept.ldap);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    if username.chars().count() > 64 {
        return Err(ApiError::field("username", "用户名最多 64 个字"));
    }
    let password = if ldap.bind_password.is_empty() && !ldap.bind_dn.is_empty() {
        bind_password(&portal, &kept.ldap)
    } else {
        Ok(Secret::new(ldap.bind_password.as_str()))
    };
    let authentication = AuthenticationSettings { ldap, ..kept };
    let report = match password {
        Ok(password) => check::run(&portal, &authentication, &password, username).await?,
        Err(failure) => LdapReport { ok: false, steps: vec![failure.into()], person: None },
    };
    let operation = by.operation("settings.check_ldap", authentication.ldap.url, username.to_owned());
    let tx = portal.db().begin().await?;
    logs::record(&tx, portal.now(), operation).await?;
    tx.commit().await?;
    Ok(Json(report))
}
