//! A terminal's socket, as a page holds it.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::{Client, Server, encoded};

const PATIENCE: Duration = Duration::from_secs(60);

/// An open terminal.
#[derive(Debug)]
pub struct Screen {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Bytes that were shown and not looked at yet.
    shown: Vec<u8>,
}

impl Screen {
    /// Opens a terminal with a ticket.
    ///
    /// # Errors
    /// The status of a refusal.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn open(server: &Server, who: &Client, path: &str, query: &str) -> Result<Self, u16> {
        let ticket = encoded(&who.ticket("GET", path).await);
        match connect_async(format!("ws://{}{path}?auth={ticket}{query}", server.address())).await {
            Ok((socket, _)) => Ok(Self { socket, shown: Vec::new() }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// Types a line.
    ///
    /// # Panics
    /// When the socket is closed.
    pub async fn enter(&mut self, line: &str) {
        self.socket.send(Message::binary(format!("{line}\n").into_bytes())).await.expect("an open socket");
    }

    /// Sends a text frame.
    ///
    /// # Panics
    /// When the socket is closed.
    pub async fn say(&mut self, request: Value) {
        self.socket.send(Message::text(request.to_string())).await.expect("an open socket");
    }

    /// Returns the next text frame.
    ///
    /// # Panics
    /// When none arrives.
    pub async fn told(&mut self) -> Value {
        loop {
            match self.frame().await {
                Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                Message::Binary(bytes) => self.shown.extend_from_slice(&bytes),
                Message::Close(frame) => panic!("closed with {frame:?}"),
                _ => {}
            }
        }
    }

    /// Reads until this is shown; everything since the last time.
    ///
    /// # Panics
    /// When it never is.
    pub async fn shows(&mut self, wanted: &str) -> Vec<u8> {
        let wanted = wanted.as_bytes();
        let mut looked = 0_usize;
        loop {
            // The searched text may end with the beginning of the wanted one.
            let from = looked.saturating_sub(wanted.len());
            if let Some(at) = self.shown[from..].windows(wanted.len()).position(|part| part == wanted) {
                let rest = self.shown.split_off(from + at + wanted.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            looked = self.shown.len();
            match self.frame().await {
                Message::Binary(bytes) => self.shown.extend_from_slice(&bytes),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?} before it was shown; shown: {:?}", String::from_utf8_lossy(&self.shown)),
            }
        }
    }

    /// Reads to the end: the last text frame and the close frame's code.
    ///
    /// # Panics
    /// When it ends without a close frame.
    pub async fn ends(mut self) -> (Value, u16) {
        let mut last = json!(null);
        loop {
            match self.frame().await {
                Message::Text(text) => last = serde_json::from_str(&text).expect("JSON"),
                Message::Close(frame) => return (last, frame.expect("a code").code.into()),
                _ => {}
            }
        }
    }

    async fn frame(&mut self) -> Message {
        let frame = timeout(PATIENCE, self.socket.next()).await.expect("a frame in time");
        frame.expect("no end without a close frame").expect("no broken connection")
    }
}
