//! The dashboard's request.

use std::time::Duration;

use axum::extract::State;
use http_kit::{Administrator, ApiResult, Json, Problem, Query, Routes, SignedIn, routes};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Portal;
use crate::features::gpus::LabHistory;
use crate::features::logs::{self, LoginLog, OperateLog};
use crate::features::session;
use crate::features::{gpus, groups, instances, users};

const DAY: Duration = Duration::from_secs(24 * 3600);
const RECENT: i64 = 6;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(dashboard)).routes(routes!(cards))
}

/// What the dashboard shows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dashboard {
    quotas: DashboardQuotas,
    /// Whether an administrator or the program chose the caller's password and they have not chosen another.
    has_initial_password: bool,
    /// For administrators only.
    admin: Option<DashboardAdmin>,
}

/// My quotas and what I use of them.
#[derive(Debug, Serialize, ToSchema)]
struct DashboardQuotas {
    instances: InstanceUse,
    gpus: Use,
    /// CPU time in microseconds per 100 000 µs period; a limit of 0 means no limit.
    cpu: Use,
    /// In bytes; a limit of 0 means no limit.
    memory: Use,
    /// In bytes; a limit of 0 means no limit. The used bytes come from the storage host.
    disk: DiskLimit,
}

#[derive(Debug, Serialize, ToSchema)]
struct InstanceUse {
    used: i64,
    limit: i64,
    base: i64,
    offset: i64,
}

#[derive(Debug, Serialize, ToSchema)]
struct Use {
    used: i64,
    limit: i64,
}

#[derive(Debug, Serialize, ToSchema)]
struct DiskLimit {
    limit: i64,
}

/// How the lab is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DashboardAdmin {
    users: UserCounts,
    groups: i64,
    /// Open sessions.
    sessions: i64,
    #[serde(rename = "failedLogins24h")]
    failed_logins_24h: i64,
    recent_failures: Vec<OperateLog>,
    recent_logins: Vec<LoginLog>,
}

#[derive(Debug, Serialize, ToSchema)]
struct UserCounts {
    total: i64,
    active: i64,
    admins: i64,
}

/// 首页的数据
///
/// The dashboard.
#[utoipa::path(get, path = "/api/dashboard", operation_id = "dashboard_get", tag = "dashboard",
    responses((status = 200, body = Dashboard), (status = 401, body = Problem)))]
async fn dashboard(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Dashboard>> {
    let own = users::quotas_of(portal.db(), actor.id).await?;
    let held = instances::held(portal.db(), &[actor.id], None).await?;
    let quotas = DashboardQuotas {
        instances: InstanceUse {
            used: held.instances,
            limit: own.instance_limit + own.instance_limit_offset,
            base: own.instance_limit,
            offset: own.instance_limit_offset,
        },
        gpus: Use { used: gpus::count_held(portal.db(), &[actor.id], None).await?, limit: own.gpu_limit },
        cpu: Use { used: held.cpu, limit: own.cpu_quota },
        memory: Use { used: held.memory, limit: own.memory_limit },
        disk: DiskLimit { limit: own.disk_quota },
    };
    let admin = if actor.is_admin() { Some(for_administrators(&portal).await?) } else { None };
    let has_initial_password = users::has_foreign_password(portal.db(), actor.id).await?;
    Ok(Json(Dashboard { quotas, has_initial_password, admin }))
}

async fn for_administrators(portal: &Portal) -> ApiResult<DashboardAdmin> {
    let (db, now) = (portal.db(), portal.now());
    let counts = users::count(db).await?;
    Ok(DashboardAdmin {
        users: UserCounts { total: counts.total, active: counts.active, admins: counts.admins },
        groups: groups::count(db).await?,
        sessions: session::count_open(db, now).await?,
        failed_logins_24h: logs::count_failed_logins(db, now.minus(DAY)).await?,
        recent_failures: logs::recent_failures(db, RECENT).await?,
        recent_logins: logs::recent_logins(db, RECENT).await?,
    })
}

/// How far back.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// How many of the last minutes; a day when left out.
    #[param(minimum = 1, maximum = 43200)]
    minutes: Option<u32>,
}

/// 所有显卡的使用情况
///
/// How many of all cards were in use, and how busy they were.
#[utoipa::path(get, path = "/api/dashboard/gpus", operation_id = "dashboard_gpus", tag = "dashboard",
    params(HistoryQuery),
    responses((status = 200, body = LabHistory), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn cards(
    State(portal): State<Portal>,
    Administrator(_actor): Administrator,
    Query(query): Query<HistoryQuery>,
) -> ApiResult<Json<LabHistory>> {
    Ok(Json(gpus::lab_history(portal.db(), query.minutes.unwrap_or(24 * 60), portal.now()).await?))
}
