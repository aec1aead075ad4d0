//! A channel as what carries it has it.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use russh::server::{Handle, Msg};
use russh::{ChannelId, ChannelWriteHalf};
use tokio::io::{AsyncRead, AsyncReadExt};
use tools::wire::Exit;

use crate::connection::Connection;
use crate::inbox::Inbox;
use crate::{Refusal, signals, words};

/// The number of standard error on a channel.
const ERRORS: u32 = 1;
/// The exit code of what could not be done here, as OpenSSH's client has it.
const NOT_DONE: u32 = 255;
/// Bytes that are read at once, as long as little comes and when much does.
const FEW: usize = 2 << 10;
const MANY: usize = 32 << 10;

/// A channel. Dropping it forgets what the client sent; [`Pipe::close`] closes it.
pub(crate) struct Pipe {
    connection: Arc<Connection>,
    inbox: Arc<Inbox>,
    write: ChannelWriteHalf<Msg>,
    handle: Handle,
}

/// The streams of a program on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Output,
    Errors,
}

impl Pipe {
    pub(crate) fn new(
        connection: Arc<Connection>,
        inbox: Arc<Inbox>,
        write: ChannelWriteHalf<Msg>,
        handle: Handle,
    ) -> Self {
        Self { connection, inbox, write, handle }
    }

    pub(crate) fn id(&self) -> ChannelId {
        self.write.id()
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What the client sends.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Sends data as far as the client's window reaches. Waits for ever on a channel that the client closed.
    pub(crate) async fn send(&self, side: Side, data: Bytes) -> Result<(), russh::Error> {
        let _sending = self.connection.gate.sending();
        match side {
            Side::Output => self.write.data_bytes(data).await,
            Side::Errors => self.write.extended_data_bytes(ERRORS, data).await,
        }
    }

    /// Sends a stream to its end.
    pub(crate) async fn send_all(&self, side: Side, mut from: impl AsyncRead + Unpin) {
        let (mut buffer, mut size) = (BytesMut::new(), FEW);
        loop {
            buffer.reserve(size);
            match from.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(read) => size = if read >= FEW { MANY } else { FEW },
            }
            if self.send(side, buffer.split().freeze()).await.is_err() {
                return;
            }
            if size == FEW {
                // An idle channel keeps no large buffer.
                buffer = BytesMut::new();
            }
        }
    }

    /// Shows a refusal on standard error.
    pub(crate) async fn tell(&self, refusal: &Refusal) {
        let _ = self.send(Side::Errors, words::shown(refusal).into()).await;
    }

    /// No more data comes from here.
    pub(crate) async fn end(&self) {
        let _ = self.write.eof().await;
    }

    /// Reports how a program ended and closes the channel. `None`: it was not started, or its end is unknown.
    pub(crate) async fn finish(&self, exit: Option<Exit>) {
        let code = match exit {
            Some(Exit::Code(code)) => Some(u32::from(code)),
            Some(Exit::Signal { number, core }) => match signals::named(number) {
                Some(signal) => {
                    let (words, language) = (String::new(), String::new());
                    let _ = self.handle.exit_signal_request(self.id(), signal, core, words, language).await;
                    None
                }
                // As shells say it.
                None => Some(128 + u32::from(number)),
            },
            None => Some(NOT_DONE),
        };
        if let Some(code) = code {
            let _ = self.write.exit_status(code).await;
        }
        self.end().await;
        self.close().await;
    }

    /// Closes the channel.
    pub(crate) async fn close(&self) {
        let _ = self.write.close().await;
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.connection.forget(self.id());
        self.inbox.leave();
    }
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipe").field("id", &self.id()).finish_non_exhaustive()
    }
}
