//! A bridge between a websocket and a terminal: copies bytes both ways, with backpressure on both sides.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use http_kit::ws::PING_EVERY;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, interval_at, timeout};

use super::model::{End, TerminalMessage, TerminalRequest, Window};

/// A page that misses two pings is disconnected.
const SILENCE: Duration = Duration::from_secs(2 * PING_EVERY.as_secs() + 15);
/// For the last words.
const FAREWELL: Duration = Duration::from_secs(2);

/// The terminal's side.
pub(super) struct Remote {
    pub(super) output: BoxStream<'static, io::Result<Bytes>>,
    pub(super) input: Box<dyn AsyncWrite + Send + Unpin>,
    pub(super) control: Box<dyn Control>,
}

/// The terminal's control channel.
#[async_trait]
pub(super) trait Control: Send + Sync {
    /// Resizes the window. On failure, programs keep drawing for the old size.
    async fn resize(&self, window: Window);

    /// The output ended: why.
    async fn end(&self) -> End;
}

/// Copies bytes until one side ends or `ended` resolves. Returns the reason for [`farewell`]; `None` when the page is
/// disconnected.
pub(super) async fn carry(
    socket: &mut WebSocket,
    remote: Remote,
    ended: &mut (impl Future<Output = End> + Unpin),
) -> Option<End> {
    let Remote { output, input, control } = remote;
    let (mut sink, frames) = socket.split();
    tokio::select! {
        end = ended => Some(end),
        end = show(&mut sink, output, control.as_ref()) => end,
        () = take(frames, input, control.as_ref()) => None,
    }
}

async fn show(
    sink: &mut (impl Sink<Message> + Unpin),
    mut output: BoxStream<'static, io::Result<Bytes>>,
    control: &dyn Control,
) -> Option<End> {
    let mut ping = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    loop {
        let message = tokio::select! {
            piece = output.next() => match piece {
                Some(Ok(bytes)) => Message::Binary(bytes),
                Some(Err(_)) | None => return Some(control.end().await),
            },
            _ = ping.tick() => Message::Ping(Bytes::new()),
        };
        sink.send(message).await.ok()?;
    }
}

/// Ends when the page is disconnected.
async fn take<E>(
    mut frames: impl Stream<Item = Result<Message, E>> + Unpin,
    mut input: Box<dyn AsyncWrite + Send + Unpin>,
    control: &dyn Control,
) {
    while let Ok(Some(Ok(frame))) = timeout(SILENCE, frames.next()).await {
        match frame {
            // A program that accepts no input has ended, which the end of its output shows.
            Message::Binary(bytes) => {
                let _ = input.write_all(&bytes).await;
                let _ = input.flush().await;
            }
            Message::Text(text) => {
                if let Ok(TerminalRequest::Resize(window)) = serde_json::from_str(&text) {
                    control.resize(window).await;
                }
            }
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
}

/// Sends a message; `None` when the page is disconnected.
pub(super) async fn tell(socket: &mut WebSocket, message: &TerminalMessage) -> Option<()> {
    // These types have no maps with other keys than text, which alone can't be written.
    let text = serde_json::to_string(message).ok()?;
    socket.send(Message::text(text)).await.ok()
}

/// Sends the page the reason of the end.
pub(super) async fn farewell(mut socket: WebSocket, end: End) {
    let code = end.code();
    let telling = async {
        if let Some(message) = end.message() {
            tell(&mut socket, &message).await?;
        }
        let frame = CloseFrame { code, reason: "".into() };
        socket.send(Message::Close(Some(frame))).await.ok()
    };
    // Fails if the page is disconnected, which is fine.
    let _ = timeout(FAREWELL, telling).await;
}
