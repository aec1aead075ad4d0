//! The life of a websocket: sends messages as they come, pings to detect a dead connection, and closes properly when
//! the server stops.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::{FutureExt, Stream, StreamExt, pin_mut};
use tokio::time::{MissedTickBehavior, interval};

use crate::ApiError;

/// A connection without any response for two of these is dead.
pub const PING_EVERY: Duration = Duration::from_secs(30);
/// Messages that are still sent when the server stops; bounded, so that they cannot delay the stop.
const LAST_WORDS: usize = 16;

/// The response to a call without an upgrade that would be accepted with one. Pages make such a call when their socket
/// does not open; this response tells them that a proxy dropped the upgrade.
#[must_use]
pub fn not_a_websocket() -> ApiError {
    ApiError::bad_request("该地址只能以 WebSocket 方式连接")
}

/// Sends each item of `outgoing` as a text frame until the client disconnects, the stream ends, or `stop` resolves
/// (then the client gets the remaining messages and close code 1001, going away). Frames from the client only count as
/// signs of life: `ping` text is part of the web app's protocol (SPEC §4).
pub async fn push<S, F>(mut socket: WebSocket, outgoing: S, stop: F)
where
    S: Stream<Item = String>,
    F: Future<Output = ()>,
{
    pin_mut!(outgoing, stop);
    let mut ping = interval(PING_EVERY);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent_pings = 0u8;
    loop {
        tokio::select! {
            () = &mut stop => {
                for _ in 0..LAST_WORDS {
                    let Some(Some(text)) = outgoing.next().now_or_never() else { break };
                    if socket.send(Message::Text(text.into())).await.is_err() {
                        return;
                    }
                }
                return close(socket, close_code::AWAY, "服务器正在停止").await;
            }
            item = outgoing.next() => match item {
                Some(text) => if socket.send(Message::Text(text.into())).await.is_err() { return },
                None => return close(socket, close_code::NORMAL, "").await,
            },
            frame = socket.recv() => match frame {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => silent_pings = 0,
            },
            _ = ping.tick() => {
                if silent_pings >= 2 || socket.send(Message::Ping(bytes::Bytes::new())).await.is_err() {
                    return;
                }
                silent_pings += 1;
            }
        }
    }
}

async fn close(mut socket: WebSocket, code: u16, reason: &'static str) {
    // The client may be gone already.
    let _ = socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
}
