//! Quotas for a time.

use std::time::Duration;

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, routes};
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::form::{QuotaChange, UserFields};
use super::model::User;
use super::service;
use super::{store, store_ends};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::settings::LocalSettings;

/// No end lies further ahead.
const FURTHEST: Duration = Duration::from_secs(50 * 366 * 24 * 3600);

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(grant, end_grant))
}

/// Quotas for a time; left-out ones stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QuotaGrant {
    #[serde(rename = "instanceLimit")]
    instance_limit: Option<i64>,
    #[serde(rename = "instanceLimitOffset")]
    instance_limit_offset: Option<i64>,
    #[serde(rename = "GPUNumlimit")]
    gpu_limit: Option<i64>,
    #[serde(rename = "CPUPeriodQuota")]
    cpu_quota: Option<i64>,
    #[serde(rename = "memoryLimit")]
    memory_limit: Option<i64>,
    #[serde(rename = "diskQuota")]
    disk_quota: Option<i64>,
    /// When the quotas before return.
    #[schema(value_type = String, format = DateTime)]
    until: Timestamp,
}

/// The end of temporary quotas.
#[derive(Debug, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct GrantEnd {
    /// They stay for good; otherwise those before return now.
    #[serde(default)]
    #[param(required = false)]
    keep: bool,
}

/// 临时调整配额
///
/// Sets quotas until a moment at which those before return. What runs then goes on.
#[utoipa::path(put, path = "/api/users/{id}/temporary-quotas", operation_id = "users_grant_quotas", tag = "users",
    params(("id" = i64, Path)), request_body = QuotaGrant,
    responses((status = 200, body = User), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn grant(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<UserId>,
    Json(form): Json<QuotaGrant>,
) -> ApiResult<Json<User>> {
    check_moment(form.until, by.at, "until")?;
    let change = QuotaChange {
        instance_limit: form.instance_limit,
        instance_limit_offset: form.instance_limit_offset,
        gpu_limit: form.gpu_limit,
        cpu_quota: form.cpu_quota,
        memory_limit: form.memory_limit,
        disk_quota: form.disk_quota,
    };
    let fields = UserFields::from(change);
    let tx = portal.db().begin().await?;
    service::hold(&tx, id).await?;
    let old = store::by_id(&tx, id).await?;
    let faults = fields.faults(false, LocalSettings::default(), old.quotas());
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let detail = format!("临时配额：{}", old.quotas().changes(fields.quotas(old.quotas())));
    service::grant_quotas(&tx, &by, id, change, form.until, detail).await?;
    let user = store::by_id(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(user))
}

/// 结束临时配额
///
/// Ends quotas for a time: the quotas before return now, or those that were granted stay for good.
#[utoipa::path(delete, path = "/api/users/{id}/temporary-quotas", operation_id = "users_end_quotas", tag = "users",
    params(("id" = i64, Path), GrantEnd),
    responses((status = 200, body = User), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn end_grant(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<UserId>,
    Query(query): Query<GrantEnd>,
) -> ApiResult<Json<User>> {
    let tx = portal.db().begin().await?;
    service::hold(&tx, id).await?;
    let user = store::by_id(&tx, id).await?;
    let over = || ApiError::conflict("no_temporary_quotas", "临时配额已经结束，请刷新后再看");
    let kept = store_ends::grant_of(&tx, id).await?.ok_or_else(over)?;
    let detail = if query.keep {
        store_ends::remove_grant(&tx, &kept).await?.then(|| "临时配额改为长期有效".to_owned())
    } else {
        let changes = service::restore_quotas(&tx, &user, &kept).await?;
        changes.map(|changes| format!("提前结束临时配额：{changes}"))
    };
    by.record(&tx, "user.quota", user.username, detail.ok_or_else(over)?).await?;
    let user = store::by_id(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(user))
}

/// Refuses a moment that has passed or lies too far ahead, as when an account or a grant ends.
///
/// # Errors
/// 422 on this field.
pub(crate) fn check_moment(moment: Timestamp, now: Timestamp, field: &str) -> ApiResult<()> {
    if moment <= now {
        return Err(ApiError::field(field, "应晚于现在"));
    }
    if moment > now.plus(FURTHEST) {
        return Err(ApiError::field(field, "最多到 50 年后"));
    }
    Ok(())
}
