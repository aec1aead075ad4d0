//! One side of a connection: its channels, their windows, and the frames that wait to be sent.
//!
//! Memory is bounded: a channel holds at most its window of what was received, and data is only taken for sending while
//! less than [`OUT_BYTES`] wait. The portal's side always reads, so that the program's side may stop reading while much
//! waits to be sent, without both waiting for each other.

mod arrive;
mod channel;
mod fault;
mod half;
mod handle;
mod read;
mod state;
#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::wire::{Kind, Opened, Peer, Request};

use channel::Channel;
pub use fault::Fault;
pub use half::{Incoming, Outgoing};
pub use handle::{Handle, Order};
use state::State;

/// Bytes that may wait to be sent before data has to wait.
pub const OUT_BYTES: usize = 256 << 10;
/// Bytes that may wait to be sent, answers to the other side included.
pub const ALL_OUT_BYTES: usize = 1 << 20;

/// The side of a connection that this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Opens channels.
    Portal,
    /// Lies in the instance, and carries requests out.
    Program,
}

/// A connection.
#[derive(Debug)]
pub struct Link {
    state: Mutex<State>,
}

/// Ends a connection when the last of those who use it drops it.
#[derive(Debug)]
pub struct Owner(pub Arc<Link>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.end(Fault::Ended);
    }
}

impl Link {
    /// A connection whose streams are given to [`Link::read`] and [`Link::write`].
    #[must_use]
    pub fn new(side: Side) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State::new(side)) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete before anything that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection: channels are closed, and what waits is still sent unless this is a fault.
    pub fn end(&self, fault: Fault) {
        self.lock().end(fault);
    }

    /// Resolves when the connection ended.
    pub async fn ended(&self) -> Fault {
        poll_fn(|cx| {
            let mut state = self.lock();
            match &state.ended {
                Some(fault) => Poll::Ready(fault.clone()),
                None => state.wait(cx),
            }
        })
        .await
    }

    /// Resolves when the first frame of the other side was read.
    ///
    /// # Errors
    /// Why the connection ended before.
    pub async fn greeted(&self) -> Result<(), Fault> {
        poll_fn(|cx| {
            let mut state = self.lock();
            match &state.ended {
                _ if state.greeted => Poll::Ready(Ok(())),
                Some(fault) => Poll::Ready(Err(fault.clone())),
                None => state.wait(cx),
            }
        })
        .await
    }

    /// Sends what waits, until the connection ends.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn write(&self, mut to: impl AsyncWrite + Unpin) -> io::Result<()> {
        let mut chunk = BytesMut::new();
        while poll_fn(|cx| self.poll_take(cx, &mut chunk)).await {
            to.write_all(&chunk).await?;
            to.flush().await?;
            chunk.clear();
        }
        to.shutdown().await
    }

    /// Takes what waits; `false` at the end of the connection.
    fn poll_take(&self, cx: &mut Context<'_>, chunk: &mut BytesMut) -> Poll<bool> {
        let mut state = self.lock();
        if state.out.is_empty() {
            if state.ended.is_some() {
                return Poll::Ready(false);
            }
            *chunk = BytesMut::new();
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        std::mem::swap(&mut state.out, chunk);
        state.wake_waiting();
        Poll::Ready(true)
    }

    /// Resolves when less than `most` bytes wait, or the connection ended.
    async fn room(&self, most: usize) {
        poll_fn(|cx| {
            let mut state = self.lock();
            if state.out.len() < most || state.ended.is_some() { Poll::Ready(()) } else { state.wait(cx) }
        })
        .await;
    }

    /// Opens a channel, which is still to be answered. `owner` is held as long as the channel.
    ///
    /// # Errors
    /// When the connection ended, or has all the channels that it may have.
    pub async fn open(self: &Arc<Self>, request: &Request, owner: Arc<Owner>) -> Result<Handle, OpenError> {
        self.room(OUT_BYTES).await;
        let mut state = self.lock();
        if let Some(fault) = &state.ended {
            return Err(OpenError::Fault(fault.clone()));
        }
        let (id, serial) = state.open(request).map_err(|refusal| OpenError::Refused(refusal.into()))?;
        Ok(Handle::new(Arc::clone(self), id, serial, Some(owner)))
    }

    /// Opens a channel for a connection that a listening channel accepted; `None` when there are too many, or the
    /// connection ended.
    #[must_use]
    pub fn accept(self: &Arc<Self>, peer: &Peer) -> Option<Handle> {
        let (id, serial) = self.lock().accept(peer)?;
        Some(Handle::new(Arc::clone(self), id, serial, None))
    }

    /// Sends a ping.
    pub async fn ping(&self) {
        self.room(OUT_BYTES).await;
        self.lock().push(0, Kind::Ping, &[]);
    }
}

/// Why a channel was not opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OpenError {
    /// The program refused.
    #[error(transparent)]
    Refused(#[from] crate::wire::Refused),
    /// The connection ended.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// What the program answered.
type Answer = Result<Opened, crate::wire::Refused>;
