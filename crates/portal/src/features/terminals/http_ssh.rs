//! `/api/websocket/ssh/…`, and forgetting host keys.

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, ClientAddress, Path, Problem, Query, Routes, SignedIn, routes, ws};
use serde::Deserialize;
use utoipa::IntoParams;

use super::http::MAX_FRAME_BYTES;
use super::model::SshFrames;
use super::ssh::Call;
use super::{address, store};
use crate::Portal;
use crate::features::session::SignIn;
use crate::features::{logs, servers};
use crate::sockets::Kind;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(ssh)).routes(routes!(forget))
}

/// Who is asking.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct SshQuery {
    /// A ticket or a login token.
    #[serde(rename = "auth")]
    _auth: Option<String>,
    /// The same.
    #[serde(rename = "token")]
    _token: Option<String>,
}

/// SSH 终端（WebSocket）
///
/// A shell over SSH in one of the caller's running instances; administrators reach all instances and
/// servers. Text frames are JSON: `SshRequest` from the page, the first of them a `login`, and
/// `TerminalMessage` from the server. After `ready` it is a terminal as the other one.
#[utoipa::path(get, path = "/api/websocket/ssh/{serverId}/{ip}/{port}", operation_id = "ssh_socket", tag = "terminals",
    params(("serverId" = String, Path), ("ip" = String, Path, description = "the server's public host"),
        ("port" = u16, Path), SshQuery),
    responses((status = 101, body = SshFrames, content_type = "application/json", description = "the text frames"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn ssh(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    ClientAddress(from): ClientAddress,
    Path((server, host, port)): Path<(String, String, u16)>,
    Query(_query): Query<SshQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let address = address::reachable(&portal, &actor, &server, &host, port).await?;
    let upgrade = upgrade.map_err(|_| ws::not_a_websocket())?;
    let sign_in = SignIn::of(&portal, &actor).await?;
    let tx = portal.db().begin().await?;
    let (from, target) = (from.to_string(), address.to_string());
    let operation =
        logs::Operation { actor: &actor, address: from.clone(), action: "server.ssh", target, detail: String::new() };
    logs::record(&tx, portal.now(), operation).await?;
    tx.commit().await?;
    let seat = portal.sockets().seat(actor.id, Kind::Work);
    let call = Call { portal, sign_in, seat, actor, from, address };
    let upgrade = upgrade.max_frame_size(MAX_FRAME_BYTES).max_message_size(MAX_FRAME_BYTES);
    Ok(upgrade.on_upgrade(|socket| call.serve(socket)))
}

/// 忘记 SSH 主机密钥
///
/// Forgets the host key that was trusted at an address, after a server was set up anew.
#[utoipa::path(delete, path = "/api/servers/{id}/host-keys/{ip}/{port}", operation_id = "servers_forget_host_key",
    tag = "servers",
    params(("id" = String, Path), ("ip" = String, Path), ("port" = u16, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn forget(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(from): ClientAddress,
    Path((id, host, port)): Path<(String, String, u16)>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let server = servers::by_id(&tx, &id).await?;
    if !store::forget(&tx, &id, &host, port).await? {
        return Err(ApiError::not_found("记住的主机密钥"));
    }
    let operation = logs::Operation {
        actor: &actor,
        address: from.to_string(),
        action: "host_key.forget",
        target: server.name,
        detail: format!("{host}:{port}"),
    };
    logs::record(&tx, portal.now(), operation).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
