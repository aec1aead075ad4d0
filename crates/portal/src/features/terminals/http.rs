//! `/api/websocket/terminal/…`, and the shells that an instance offers.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use http_kit::{ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes, ws};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::http_ssh;
use super::instance::Visit;
use super::model::{Shell, TerminalFrames, Window};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::session::SignIn;
use crate::features::{clusters, instances};
use crate::sockets::Kind;

/// Large texts are pasted, too.
pub(super) const MAX_FRAME_BYTES: usize = 1 << 20;
const LOOKING_FOR_SHELLS: Duration = Duration::from_secs(5);
/// Each of its arguments that is a command, on a line.
const WHICH: &str = r#"for shell; do command -v "$shell" >/dev/null 2>&1 && echo "$shell"; done; true"#;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(shells)).routes(routes!(terminal)).merge(http_ssh::routes())
}

/// Which shells there are.
#[derive(Debug, Serialize, ToSchema)]
struct Shells {
    /// The most comfortable first.
    shells: Vec<Shell>,
}

/// 实例里有哪些 shell
///
/// The shells that a running instance has.
#[utoipa::path(get, path = "/api/instances/{id}/shells", operation_id = "instances_shells", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 200, body = Shells), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn shells(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<Shells>> {
    instances::may_enter(&portal, &actor, &id).await?;
    let (runtime, workload) = instances::running_workload(&portal, &id).await?;
    let words = ["/bin/sh", "-c", WHICH, "sh"].into_iter().chain(Shell::ALL.map(Shell::word));
    let argv = words.map(str::to_owned).collect();
    let told = clusters::collect(runtime.as_ref(), &workload, argv, LOOKING_FOR_SHELLS).await;
    let told = told.map_err(clusters::not_entered)?;
    // Where there is no `sh` there is no other either, or none that could be found.
    let told = String::from_utf8_lossy(&told).into_owned();
    let shells = Shell::ALL.into_iter().filter(|shell| told.lines().any(|line| line == shell.word())).collect();
    Ok(Json(Shells { shells }))
}

/// How a terminal is opened.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct TerminalQuery {
    /// Characters in a row; 80 when left out.
    #[param(minimum = 1, maximum = 65535)]
    cols: Option<u16>,
    /// Rows; 24 when left out.
    #[param(minimum = 1, maximum = 65535)]
    rows: Option<u16>,
    /// A ticket or a login token.
    #[serde(rename = "auth")]
    _auth: Option<String>,
    /// The same.
    #[serde(rename = "token")]
    _token: Option<String>,
}

/// 实例的网页终端（WebSocket）
///
/// A shell in one of the caller's running instances. Binary frames are bytes both ways; text frames are
/// JSON: `TerminalRequest` from the page, `TerminalMessage` from the server, the last one before it
/// closes.
#[utoipa::path(get, path = "/api/websocket/terminal/{instance}/{shell}", operation_id = "terminal_socket",
    tag = "terminals",
    params(("instance" = String, Path), ("shell" = Shell, Path), TerminalQuery),
    responses((status = 101, body = TerminalFrames, content_type = "application/json", description = "the text frames"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn terminal(
    State(portal): State<Portal>,
    by: Acting,
    Path((instance, shell)): Path<(String, Shell)>,
    Query(query): Query<TerminalQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let name = instances::may_enter(&portal, &by.actor, &instance).await?;
    let upgrade = upgrade.map_err(|_| ws::not_a_websocket())?;
    let sign_in = SignIn::of(&portal, &by.actor).await?;
    let tx = portal.db().begin().await?;
    by.record(&tx, "instance.terminal", name, shell.word()).await?;
    tx.commit().await?;
    let seat = portal.sockets().seat(by.actor.id, Kind::Work);
    let window = Window::or_usual(query.cols, query.rows);
    let visit = Visit { portal, sign_in, seat, instance, shell, window };
    let upgrade = upgrade.max_frame_size(MAX_FRAME_BYTES).max_message_size(MAX_FRAME_BYTES);
    Ok(upgrade.on_upgrade(|socket| visit.serve(socket)))
}
