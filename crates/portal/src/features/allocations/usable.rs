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

/// Why a server takes nothing from a user now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// It is not there, or not allocated to the user.
    Unknown,
    /// It is being emptied.
    Draining,
    Maintenance,
    Disabled,
    Unreachable,
}

/// A server that takes nothing now, with the answer for the caller.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) closed: Closed,
    pub(crate) error: ApiError,
}

impl From<Unusable> for ApiError {
    fn from(unusable: Unusable) -> Self {
        unusable.error
    }
}

/// Returns the server if the actor may use it and it takes instances now.
///
/// # Errors
/// If the database fails.
pub(crate) async fn usable_server(
    db: &impl Sql,
    actor: &Actor,
    id: &str,
    now: Timestamp,
) -> ApiResult<Result<(Server, Access), Unusable>> {
    let unknown = || Unusable { closed: Closed::Unknown, error: unknown_server() };
    let Some(access) = accesses_of(db, actor, now).await?.of(id) else { return Ok(Err(unknown())) };
    let server = match servers::by_id(db, id).await {
        Ok(server) => server,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err(unknown())),
        Err(error) => return Err(error),
    };
    Ok(check_open(&server).map(|()| (server, access)))
}

/// The answer when a server is not there, or not allocated to the caller.
pub(crate) fn unknown_server() -> ApiError {
    ApiError::field("server", "服务器不存在，或没有分配给你")
}

fn check_open(server: &Server) -> Result<(), Unusable> {
    servers::refuse_draining(server).map_err(|error| Unusable { closed: Closed::Draining, error })?;
    let (closed, error) = match server.state() {
        ServerState::Online if server.schedulable => return Ok(()),
        ServerState::Online => {
            let note = if server.maintenance_note.is_empty() {
                String::new()
            } else {
                format!("：{}", server.maintenance_note)
            };
            let message = format!("服务器 {} 正在维护，暂不接受新实例{note}", server.name);
            (Closed::Maintenance, ApiError::conflict("server_maintenance", message))
        }
        ServerState::Disabled => {
            (Closed::Disabled, ApiError::conflict("server_disabled", format!("服务器 {} 已停用", server.name)))
        }
        ServerState::Unreachable => {
            let message = format!("服务器 {} 暂时失联，请稍后再试或选择其他服务器", server.name);
            (Closed::Unreachable, ApiError::new(ErrorKind::Unavailable, "server_unreachable", message))
        }
    };
    Err(Unusable { closed, error })
}
