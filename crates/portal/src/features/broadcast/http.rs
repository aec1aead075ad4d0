//! `/api/websocket/broadcast` (SPEC §7).

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use futures_util::StreamExt;
use http_kit::{ApiError, ApiResult, Problem, Routes, SignedIn, routes, ws};
use kernel::ErrorKind;
use tokio::time::{MissedTickBehavior, interval};

use super::Message;
use crate::Portal;
use crate::features::session::SignIn;
use crate::sockets::Kind;

/// Pages only send the word `ping`.
const MAX_FRAME_BYTES: usize = 1024;
/// A buffer for each open page: messages are a few words.
const BUFFER_BYTES: usize = 4 * 1024;
/// How soon a page is disconnected after its session ended.
const LOOK_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(broadcast))
}

/// 广播（WebSocket）
///
/// Messages for all pages, as text frames. The token comes as the query parameter `token`, since
/// browsers can't send headers here: a ticket or a login token. It ends with the sign-in.
#[utoipa::path(get, path = "/api/websocket/broadcast", operation_id = "broadcast_socket", tag = "broadcast",
    params(("token" = Option<String>, Query)),
    responses((status = 101, body = Message, content_type = "text/plain"), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 429, body = Problem)))]
async fn broadcast(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let sockets = portal.sockets();
    // Taken before the check for an upgrade: pages repeat the request without one to read why their socket was refused.
    let seat = sockets.seat(actor.id, Kind::Page).ok_or_else(too_many)?;
    let upgrade = upgrade.map_err(|_| ws::not_a_websocket())?;
    let sign_in = SignIn::of(&portal, &actor).await?;
    let (stopped, token) = (sockets.stopped(), sockets.open().token());
    let messages = portal.hub().listen(actor).take_until(Box::pin(over(portal.clone(), sign_in)));
    let upgrade = upgrade
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(0);
    Ok(upgrade.on_upgrade(async move |socket| {
        ws::push(socket, messages, stopped).await;
        drop((seat, token));
    }))
}

fn too_many() -> ApiError {
    let message = "打开的页面太多，这一页收不到实时消息。请关闭一些页面";
    ApiError::new(ErrorKind::TooManyRequests, "too_many_open", message)
}

/// Resolves when the sign-in is over.
async fn over(portal: Portal, sign_in: SignIn) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        match sign_in.actor(&portal).await {
            Ok(Some(_)) => {}
            Ok(None) => return,
            // Unknown now; the next check decides.
            Err(error) => tracing::warn!(%error, "an open page's sign-in could not be checked"),
        }
    }
}
