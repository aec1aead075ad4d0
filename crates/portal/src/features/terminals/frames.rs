//! The page's frames before an SSH terminal is open.

use std::fmt::Display;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use tokio::time::timeout;

use super::model::{End, SshRequest, TerminalErrorReason};

/// The time to type a password or to compare a fingerprint; SSH servers wait 120 s.
const PATIENCE: Duration = Duration::from_secs(100);

/// Why it went no further.
pub(super) enum Halt {
    /// The page is not there any more.
    Gone,
    /// The page is to be told.
    End(End),
}

/// Logs an internal failure; the page gets no details.
pub(super) fn broken(error: &dyn Display) -> Halt {
    tracing::error!(%error, "an SSH terminal failed");
    Halt::End(End::failed(TerminalErrorReason::Unreachable, "服务器内部错误，请稍后再试"))
}

/// Returns the next request. Skips other frames, such as a window size that arrives too early.
pub(super) async fn receive(socket: &mut WebSocket) -> Result<SshRequest, Halt> {
    let request = async {
        loop {
            match socket.recv().await {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(request) = serde_json::from_str(&text) {
                        return Ok(request);
                    }
                }
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Halt::Gone),
            }
        }
    };
    let late = || Halt::End(End::failed(TerminalErrorReason::Timeout, "等待太久，已断开"));
    timeout(PATIENCE, request).await.unwrap_or_else(|_| Err(late()))
}
