//! `/api/websocket/broadcast` (SPEC §7).

use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use http_kit::{Problem, SignedIn, ws};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Portal;

/// Pages only send the word `ping`.
const MAX_FRAME_BYTES: usize = 1024;

pub(crate) fn routes() -> OpenApiRouter<Portal> {
    OpenApiRouter::new().routes(routes!(broadcast))
}

/// Messages for all pages, as text frames. The token comes as the query parameter `token`, since
/// browsers can't send headers here: a ticket or a login token.
#[utoipa::path(get, path = "/api/websocket/broadcast", operation_id = "broadcast_socket", tag = "broadcast",
    params(("token" = Option<String>, Query)),
    responses((status = 101), (status = 400, description = "not a websocket"), (status = 401, body = Problem)))]
async fn broadcast(State(portal): State<Portal>, _person: SignedIn, upgrade: WebSocketUpgrade) -> Response {
    let hub = portal.hub();
    let (messages, stopped, token) = (hub.listen(), hub.stopped(), hub.token());
    upgrade.max_message_size(MAX_FRAME_BYTES).max_frame_size(MAX_FRAME_BYTES).on_upgrade(async move |socket| {
        ws::push(socket, messages, stopped).await;
        drop(token);
    })
}
