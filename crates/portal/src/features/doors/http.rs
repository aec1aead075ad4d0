//! `/api/ssh-gateway`: where the SSH gateway answers, and how to recognise it.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Problem, Routes, SignedIn, routes};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Portal;
use crate::features::settings;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(gateway))
}

/// The SSH gateway.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SshGateway {
    /// Its port on the host of the pages; null when it does not answer.
    port: Option<u16>,
    /// The fingerprint of its host key, which clients show at the first connection.
    #[schema(example = "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ")]
    fingerprint: String,
    /// The host key as in a `known_hosts` file, without the host.
    #[schema(example = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti")]
    host_key: String,
    /// Whether app passwords for SSH are accepted beside keys.
    passwords: bool,
}

/// SSH 登录实例的地址和主机密钥
///
/// Where SSH clients reach instances: `ssh INSTANCE@HOST -p PORT`, with a key of the caller's profile.
#[utoipa::path(get, path = "/api/ssh-gateway", operation_id = "ssh_gateway", tag = "terminals",
    responses((status = 200, body = SshGateway), (status = 401, body = Problem)))]
async fn gateway(State(portal): State<Portal>, SignedIn(_): SignedIn) -> ApiResult<Json<SshGateway>> {
    let key = portal.ssh_host_key().await.map_err(|error| ApiError::internal(format!("{error:#}")))?;
    let host_key = key.public_line().map_err(ApiError::internal)?;
    let passwords = settings::read(portal.db()).await?.security.ssh_passwords;
    Ok(Json(SshGateway { port: portal.ssh_port(), fingerprint: key.fingerprint(), host_key, passwords }))
}
