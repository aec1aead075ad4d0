//! The SSH servers that a user may reach: those in their own running instances; for administrators, any port of the
//! listed servers. The portal connects to nothing else.

use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind};

use crate::Portal;
use crate::features::{instances, servers};

/// An SSH server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(super) server: String,
    pub(super) host: String,
    pub(super) port: u16,
    /// The instance that answers there; `None`: the server itself.
    pub(super) instance: Option<String>,
}

impl Address {
    /// The host without brackets, to connect to.
    pub(super) fn dialled(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Returns the SSH server at an address of a server, if the actor may reach it.
///
/// # Errors
/// 404, whatever the reason.
pub(super) async fn reachable(
    portal: &Portal,
    actor: &Actor,
    server: &str,
    host: &str,
    port: u16,
) -> ApiResult<Address> {
    let server = match servers::by_id(portal.db(), server).await {
        Ok(server) => server,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(nowhere()),
        Err(error) => return Err(error),
    };
    if !server.public_host.eq_ignore_ascii_case(host) || port == 0 {
        return Err(nowhere());
    }
    let behind = instances::behind_ssh_port(portal.db(), &server.id, i64::from(port)).await?;
    let own = behind.as_ref().is_some_and(|behind| behind.user_id == actor.id);
    if !own && !actor.is_admin() {
        return Err(nowhere());
    }
    let instance = behind.map(|behind| behind.instance_id);
    Ok(Address { server: server.id, host: server.public_host, port, instance })
}

fn nowhere() -> ApiError {
    ApiError::not_found("SSH 地址")
}
