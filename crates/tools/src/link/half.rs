//! The streams of a channel.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Handle;

/// Data from the other side. What was sent before the channel was closed there can still be read. After it was
/// dropped the rest is discarded as it comes.
#[derive(Debug)]
pub struct Incoming {
    pub(super) handle: Arc<Handle>,
    pub(super) stream: usize,
}

impl AsyncRead for Incoming {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let key = self.handle.key();
        let mut state = self.handle.link.lock();
        match state.receive(key, self.stream, to.initialize_unfilled()) {
            Some(taken) => {
                to.advance(taken);
                Poll::Ready(Ok(()))
            }
            None => state.channel(key.0, key.1).map_or(Poll::Ready(Ok(())), |channel| channel.wait(cx)),
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.handle.link.lock().leave_unread(self.handle.key(), self.stream);
    }
}

/// Data for the other side. Shutting it down or dropping it is the end of the data.
#[derive(Debug)]
pub struct Outgoing {
    pub(super) handle: Arc<Handle>,
    pub(super) stream: usize,
}

impl AsyncWrite for Outgoing {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let sent = self.handle.link.lock().send(self.handle.key(), self.stream, data, cx);
        sent.map(|taken| taken.ok_or_else(|| io::ErrorKind::BrokenPipe.into()))
    }

    /// Frames are sent without that.
    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.handle.link.lock().end_stream(self.handle.key(), self.stream);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.handle.link.lock().end_stream(self.handle.key(), self.stream);
    }
}
