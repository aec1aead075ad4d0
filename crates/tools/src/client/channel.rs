//! Channels as the portal uses them. A channel is closed when all its parts are dropped.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::link::{Handle, Incoming, Order, Outgoing};
use crate::wire::{Exit, Peer, Size};

/// A process that runs in the instance.
pub struct Process {
    /// Its standard input. Shutting it down is the end of the input.
    pub stdin: Outgoing,
    /// Its standard output, and with a terminal all that it shows.
    pub stdout: Incoming,
    /// Its standard error; nothing with a terminal. What is neither read nor dropped stops standard output as well.
    pub stderr: Incoming,
    /// Everything else.
    pub control: Control,
    /// Its id in the instance.
    pub id: u32,
}

impl Process {
    pub(super) fn new(handle: Handle, id: u32) -> Self {
        let handle = Arc::new(handle);
        let (stdout, stdin) = handle.halves();
        Self { stdin, stdout, stderr: handle.errors(), control: Control { handle }, id }
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Control of a process.
#[derive(Clone, Debug)]
pub struct Control {
    handle: Arc<Handle>,
}

impl Control {
    /// Sends a signal, by its number, to the group of the process.
    pub async fn signal(&self, number: u8) {
        self.handle.send(Order::Signal(number)).await;
    }

    /// Sets the size of its terminal.
    pub async fn resize(&self, size: Size) {
        self.handle.send(Order::Resize(size)).await;
    }

    /// How it ended; `None` when the channel is over without that.
    pub async fn exit(&self) -> Option<Exit> {
        self.handle.exit().await
    }

    /// Hangs up, as closing a window does: the process and those of its session end, except what ignores hang-ups.
    /// Dropping all parts of the process does the same.
    pub fn hang_up(&self) {
        self.handle.close();
    }
}

/// A connection to a socket of the instance. Shutting it down is the end of what is sent; the other direction stays.
#[derive(Debug)]
pub struct Stream {
    incoming: Incoming,
    outgoing: Outgoing,
}

impl Stream {
    pub(super) fn new(handle: Handle) -> Self {
        let (incoming, outgoing) = Arc::new(handle).halves();
        Self { incoming, outgoing }
    }

    /// Its halves.
    #[must_use]
    pub fn into_halves(self) -> (Incoming, Outgoing) {
        (self.incoming, self.outgoing)
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.incoming).poll_read(cx, to)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.outgoing).poll_write(cx, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.outgoing).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.outgoing).poll_shutdown(cx)
    }
}

/// A socket that listens in the instance, until this is dropped.
#[derive(Debug)]
pub struct Listener {
    handle: Handle,
}

impl Listener {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle }
    }

    /// The next connection and where it comes from; `None` when the connection to the program ended.
    pub async fn accept(&self) -> Option<(Stream, Peer)> {
        let (handle, peer) = self.handle.accepted().await?;
        Some((Stream::new(handle), peer))
    }
}
