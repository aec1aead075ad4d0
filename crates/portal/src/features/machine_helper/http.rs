//! `/api/servers/{id}/machine` and `/kernel-log`: what administrators may read. Changes of a machine have no route:
//! features make them in their own code.

use axum::extract::State;
use engine::machine_helper::{Answer, HostPath, Request};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Query, Routes, routes};

use super::call::{Caller, call};
use super::model::{Machine, MachineLog, MachineLogQuery};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::servers;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(machine)).routes(routes!(kernel_log))
}

/// 服务器的启动标识与网盘所在的磁盘
///
/// Which boot of the machine this is, its clock, and the file system of the network disk there.
#[utoipa::path(get, path = "/api/servers/{id}/machine", operation_id = "servers_machine", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = Machine), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn machine(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Json<Machine>> {
    let server = servers::by_id(portal.db(), &id).await?;
    let caller = Caller::Administrator { actor: &by.actor, address: by.address };
    let Answer::Boot(boot) = call(&portal, &server, caller, &Request::BootId {}).await? else { return Err(strange()) };
    let storage = match storage_path(&server.storage_path)? {
        None => None,
        Some(path) => match call(&portal, &server, caller, &Request::FileSystem { path }).await? {
            Answer::FileSystem(found) => Some(found),
            _ => return Err(strange()),
        },
    };
    Ok(Json(Machine::new(&boot, storage)))
}

/// 服务器的内核日志
///
/// The newest 512 lines of the kernel's log, 128 KiB at most.
#[utoipa::path(get, path = "/api/servers/{id}/kernel-log", operation_id = "servers_kernel_log", tag = "servers",
    params(("id" = String, Path), MachineLogQuery),
    responses((status = 200, body = MachineLog), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 503, body = Problem)))]
async fn kernel_log(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Query(query): Query<MachineLogQuery>,
) -> ApiResult<Json<MachineLog>> {
    let server = servers::by_id(portal.db(), &id).await?;
    let caller = Caller::Administrator { actor: &by.actor, address: by.address };
    let request = Request::KernelLog { since_ms: query.since.unwrap_or_default() };
    match call(&portal, &server, caller, &request).await? {
        Answer::KernelLog(log) => Ok(Json(log.into())),
        _ => Err(strange()),
    }
}

/// Normalizes the path, which may end with `/`.
fn storage_path(text: &str) -> ApiResult<Option<HostPath>> {
    let text = if text == "/" { text } else { text.trim_end_matches('/') };
    if text.is_empty() {
        return Ok(None);
    }
    let refused = |_| ApiError::conflict("machine_path", format!("网盘路径 {text} 不能查看，请编辑服务器改正"));
    text.parse().map(Some).map_err(refused)
}

fn strange() -> ApiError {
    ApiError::internal("the machine helper answered another question")
}
