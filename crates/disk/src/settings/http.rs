//! `/api/settings`, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::{Reason, Why};
use http_kit::{ClientAddress, Routes, routes};
use kernel::DiskAction;
use serde_json::{Map, Value};

use super::{CurrentSettings, Settings};
use crate::command;
use crate::directory::Directory;
use crate::host::Host;
use crate::http::{HttpResult, JsonBody, Member, changes, done, overlay, record};
use crate::permissions::require;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(get, change))
}

/// 网盘设置
///
/// The settings. `exec` is what it comes to: off where commands can't be confined.
#[utoipa::path(
    get, path = "/api/settings", tag = "settings", operation_id = "getDiskSettings",
    responses((status = 200, body = Settings), (status = 403, description = "not an administrator"))
)]
async fn get(member: Member) -> HttpResult<Json<Settings>> {
    require(member.may.admin)?;
    let exec = command::is_on(&member.settings).await?;
    Ok(Json(Settings { exec, ..Settings::clone(&member.settings) }))
}

/// 修改网盘设置
///
/// Changes the settings. What is left out stays as it is, within objects too; lists are replaced
/// as a whole. Either everything is taken or nothing. Holds at once, within five seconds in other
/// processes on the same database.
#[utoipa::path(
    put, path = "/api/settings", tag = "settings", operation_id = "changeDiskSettings",
    request_body(content = inline(HashMap<String, Value>)),
    responses(
        (status = 200, description = "changed", body = String, content_type = "text/plain"),
        (status = 400, description = "malformed, an unknown field, or a value that can't be, with the reason"),
        (status = 403, description = "not an administrator"),
        (status = 503, description = "the portal can't keep it in its log, so nothing was changed"),
        (status = 507, description = "the disk is full"),
    )
)]
async fn change(
    State(settings): State<Arc<CurrentSettings>>,
    State(directory): State<Arc<dyn Directory>>,
    member: Member,
    address: ClientAddress,
    JsonBody(fields): JsonBody<Map<String, Value>>,
) -> HttpResult<Response> {
    require(member.may.admin)?;
    if fields.get("exec") == Some(&Value::Bool(true)) && !blocking(|| Ok(command::available())).await? {
        return Err(DiskError::bad_request(Reason::NoSandbox).into());
    }
    let before = settings.now().await?;
    let after = apply(&before, fields.clone())?;
    let detail = changes(before.as_ref(), &after)?;
    record(&*directory, &member, address, DiskAction::SettingsUpdate, "网盘设置", detail).await?;
    settings.change(|settings| apply(settings, fields)).await?;
    tracing::info!(actor.id = member.actor.id, "the disk's settings were changed");
    Ok(done())
}

fn apply(settings: &Settings, fields: Map<String, Value>) -> DiskResult<Settings> {
    let mut value = serde_json::to_value(settings).map_err(DiskError::internal)?;
    overlay(&mut value, Value::Object(fields))?;
    let changed: Settings =
        serde_json::from_value(value).map_err(|_| DiskError::bad_request(Reason::SettingsMalformed))?;
    changed.checked().map_err(|error| DiskError::bad_request(Why::told(Reason::SettingUnfit, error.to_string())))
}
