//! `/api/websocket/broadcast` (SPEC §7).

use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use http_kit::{Problem, Routes, SignedIn, routes, ws};

use crate::Portal;

/// Pages only send the word `ping`.
const MAX_FRAME_BYTES: usize = 1024;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(broadcast))
}

/// 广播（WebSocket）
///
/// Messages for all pages, as text frames. The token comes as the query parameter `token`, since
/// browsers can't send headers here: a ticket or a login token.
#[utoipa::path(get, path = "/api/websocket/broadcast", operation_id = "broadcast_socket", tag = "broadcast",
    params(("token" = Option<String>, Query)),
    responses((status = 101), (status = 400, description = "not a websocket"), (status = 401, body = Problem)))]
async fn broadcast(State(portal): State<Portal>, SignedIn(actor): SignedIn, upgrade: WebSocketUpgrade) -> Response {
    let sockets = portal.sockets();
    let (messages, stopped, token) = (portal.hub().listen(actor), sockets.stopped(), sockets.open().token());
    upgrade.max_message_size(MAX_FRAME_BYTES).max_frame_size(MAX_FRAME_BYTES).on_upgrade(async move |socket| {
        ws::push(socket, messages, stopped).await;
        drop(token);
    })
}
