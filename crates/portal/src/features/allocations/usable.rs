//! Whether a server may be used now.

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind, Timestamp};

use super::access::Access;
use super::store::accesses_of;
use crate::features::servers::{self, Server, ServerState};

/// Blocks all other reservations of cards, CPU, memory and ports until the transaction ends. To be called before
/// accounts are written to.
///
/// # Errors
/// If the database fails.
pub(crate) async fn hold_reservations(tx: &Tx) -> ApiResult<()> {
    Ok(tx.serialize("reservations").await?)
}

/// Returns the server if the actor may use it and it takes instances now.
pub(crate) async fn usable_server(
    db: &impl Sql,
    actor: &Actor,
    id: &str,
    now: Timestamp,
) -> ApiResult<(Server, Access)> {
    let access = accesses_of(db, actor, now).await?.of(id);
    let unknown = || ApiError::field("server", "服务器不存在，或没有分配给你");
    let access = access.ok_or_else(unknown)?;
    let server = servers::all(db).await?.into_iter().find(|server| server.id == id).ok_or_else(unknown)?;
    servers::refuse_draining(&server)?;
    match server.state() {
        ServerState::Online if server.schedulable => Ok((server, access)),
        ServerState::Online => {
            let note = if server.maintenance_note.is_empty() {
                String::new()
            } else {
                format!("：{}", server.maintenance_note)
            };
            Err(ApiError::conflict(
                "server_maintenance",
                format!("服务器 {} 正在维护，暂不接受新实例{note}", server.name),
            ))
        }
        ServerState::Disabled => Err(ApiError::conflict("server_disabled", format!("服务器 {} 已停用", server.name))),
        ServerState::Unreachable => {
            let message = format!("服务器 {} 暂时失联，请稍后再试或选择其他服务器", server.name);
            Err(ApiError::new(ErrorKind::Unavailable, "server_unreachable", message))
        }
    }
}
