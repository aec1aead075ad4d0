//! The five calls that set one quota field each (SPEC §7).

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::UserId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::form::UserFields;
use super::model::User;
use super::service;
use super::store;
use crate::Portal;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::settings::LocalSettings;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(instance_limit))
        .routes(routes!(instance_limit_offset))
        .routes(routes!(gpu_limit))
        .routes(routes!(cpu_quota))
        .routes(routes!(group_leader))
}

/// One call: its body has one field, named like the call.
macro_rules! quota_call {
    ($(#[$doc:meta])* $handler:ident, $body:ident, $field:ident: $type:ty, $name:ident, $operation:literal) => {
        #[doc = concat!("The new `", stringify!($name), "`.")]
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        #[expect(non_snake_case, reason = "the document reads the wire's name off the field; it ignores a rename here")]
        pub(super) struct $body {
            $name: $type,
        }

        $(#[$doc])*
        #[utoipa::path(put, path = concat!("/api/users/", stringify!($name), "/{id}"), operation_id = $operation, tag = "users",
            params(("id" = i64, Path)), request_body = $body,
            responses((status = 200, body = User), (status = 400, body = Problem), (status = 401, body = Problem),
                (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
        async fn $handler(
            State(portal): State<Portal>,
            ActingAdministrator(by): ActingAdministrator,
            Path(id): Path<UserId>,
            Json(body): Json<$body>,
        ) -> ApiResult<Json<User>> {
            let detail = format!("{} = {}", stringify!($name), body.$name);
            let fields = UserFields { $field: Some(body.$name), ..UserFields::default() };
            change(&portal, &by, id, fields, detail).await
        }
    };
}

quota_call!(
    /// 设置实例配额
    ///
    /// Instances that may be held.
    instance_limit, InstanceLimitBody, instance_limit: i64, instanceLimit, "users_set_instance_limit"
);
quota_call!(
    /// 设置临时增加的实例配额
    ///
    /// Instances that may be held beyond that for a while.
    instance_limit_offset, InstanceLimitOffsetBody, instance_limit_offset: i64, instanceLimitOffset,
    "users_set_instance_limit_offset"
);
quota_call!(
    /// 设置 GPU 卡配额
    ///
    /// Cards that may be held.
    gpu_limit, GpuNumLimitBody, gpu_limit: i64, GPUNumlimit, "users_set_gpu_limit"
);
quota_call!(
    /// 设置 CPU 配额
    ///
    /// CPU that may be held, in microseconds per 100 000 µs.
    cpu_quota, CpuPeriodQuotaBody, cpu_quota: i64, CPUPeriodQuota, "users_set_cpu_quota"
);
quota_call!(
    /// 设置能否担任组长
    ///
    /// Whether the user may lead groups; taking that away ends their leading.
    group_leader, GroupLeaderBody, group_leader: bool, groupLeader, "users_set_group_leader"
);

async fn change(portal: &Portal, by: &Acting, id: UserId, fields: UserFields, detail: String) -> ApiResult<Json<User>> {
    let tx = portal.db().begin().await?;
    service::hold(&tx, id).await?;
    let old = store::by_id(&tx, id).await?;
    let faults = fields.faults(false, LocalSettings::default(), old.quotas());
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    service::change(&tx, by, &old, &fields).await?;
    by.record(&tx, "user.quota", old.username, detail).await?;
    let user = store::by_id(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(user))
}
