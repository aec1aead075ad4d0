//! `/api/update` (SPEC §7). Both further operations are GET, as the specification has them; the one with an effect is
//! recorded like any other change, also when it is refused.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, Json, Problem, Query, Routes, SignedIn, routes};
use kernel::{Actor, ErrorKind, RELEASE, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::ReleaseError;
use super::updates::{FailedUpdate, Refused, UpdateState};
use crate::Portal;
use crate::features::logs::{self, ActingAdministrator};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(update)).routes(routes!(check)).routes(routes!(start))
}

/// Versions, and what an update is doing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Update {
    /// With the number of the package, if it is one: `4.3.29-2`.
    version: String,
    /// The same as `version` if no newer one is known.
    latestversion: String,
    /// What is new in the latest version.
    notes: String,
    state: UpdateState,
    /// Whether an update source is configured.
    configured: bool,
    /// When the source last answered.
    checked: Option<Timestamp>,
    /// Bytes of the new program that are here.
    downloaded: u64,
    /// Size of the download in bytes; 0 when there is no newer release for this platform.
    size: u64,
    /// The last error, for administrators; else empty.
    error: String,
    /// The last update, if it was rolled back; for administrators.
    failed: Option<FailedUpdate>,
}

/// Which update.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartQuery {
    /// Only this version: a later one that appeared meanwhile is refused.
    version: Option<String>,
}

/// 版本与更新状态
///
/// Which version runs, which is the latest, and whether an update runs.
#[utoipa::path(get, path = "/api/update", operation_id = "update_get", tag = "update",
    responses((status = 200, body = Update), (status = 401, body = Problem)))]
async fn update(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Update>> {
    Ok(Json(seen_by(&actor, &portal)))
}

/// 检查更新
///
/// Asks the update source now.
#[utoipa::path(get, path = "/api/update/updateCheck", operation_id = "update_check", tag = "update",
    responses((status = 200, body = Update), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, description = "no source, or none that can be used", body = Problem),
        (status = 503, description = "the source does not answer", body = Problem)))]
async fn check(State(portal): State<Portal>, Administrator(actor): Administrator) -> ApiResult<Json<Update>> {
    portal.updates().check(portal.now()).await?;
    portal.tell_of_updates();
    Ok(Json(seen_by(&actor, &portal)))
}

/// 开始更新
///
/// Updates to the latest version: fetches and checks it, notifies all pages, and restarts.
#[utoipa::path(get, path = "/api/update/start", operation_id = "update_start", tag = "update", params(StartQuery),
    responses((status = 202, description = "it runs", body = Update), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, description = "one runs already, or there is nothing to update to", body = Problem),
        (status = 503, description = "the source does not answer", body = Problem)))]
async fn start(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Query(query): Query<StartQuery>,
) -> ApiResult<Response> {
    let prepared = portal.updates().prepare(query.version.as_deref(), portal.now()).await?;
    let operation = by.operation("update.start", prepared.version.clone(), format!("{RELEASE} → {}", prepared.version));
    let tx = portal.db().begin().await?;
    logs::record(&tx, portal.now(), operation).await?;
    tx.commit().await?;
    prepared.begin(&portal);
    Ok((StatusCode::ACCEPTED, Json(seen_by(&by.actor, &portal))).into_response())
}

fn seen_by(reader: &Actor, portal: &Portal) -> Update {
    let status = portal.updates().status();
    let (latest, admin) = (status.latest.unwrap_or_default(), reader.is_admin());
    Update {
        version: RELEASE.to_owned(),
        latestversion: if latest.version.is_empty() { RELEASE.to_owned() } else { latest.version.clone() },
        size: latest.build().map(|build| build.size).unwrap_or_default(),
        notes: latest.notes,
        state: status.state,
        configured: portal.updates().is_configured(),
        checked: status.checked,
        downloaded: status.downloaded,
        error: status.error.filter(|_| admin).unwrap_or_default(),
        failed: status.failed.filter(|_| admin),
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NotConfigured => {
                Self::conflict("update_not_configured", "没有配置更新源：请在配置中设置 update_source 和 update_key")
            }
            Refused::Running => Self::conflict("update_running", "正在更新，请等待它完成"),
            Refused::UpToDate => Self::conflict("up_to_date", format!("已经是最新版本 {RELEASE}")),
            Refused::Other(latest) => {
                Self::conflict("update_changed", format!("最新版本现在是 {latest}，请看过更新说明后再开始"))
            }
            Refused::Release(error @ (ReleaseError::Unreachable(_) | ReleaseError::Missing(_))) => {
                Self::new(ErrorKind::Unavailable, "update_source_unavailable", error.to_string())
            }
            Refused::Release(error) => Self::conflict("update_unusable", error.to_string()),
        }
    }
}
