//! Bounds what a connection has waiting for its programs, by not reading from the client's socket.
//!
//! russh grants a client more of a channel's window as data arrives, not as it is used, and hands data on from the loop
//! that also sends: if it waited for a program there, a program that waits for its own output to be read (`cat`) would
//! wait for ever. So data is queued without waiting ([`crate::inbox`]), and reading stops here while too much is queued.
//! While output waits for the client's window more is let in, since what opens that window comes on the same socket.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that may wait for the programs of a connection.
const USUAL: usize = 2 << 20;
/// While output waits for the client: more than the sockets of both sides hold before what opens the window.
const MOST: usize = 24 << 20;

/// The gate of a connection.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    waiting: AtomicUsize,
    /// Outputs that wait for the client.
    sending: AtomicUsize,
    broken: AtomicBool,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

impl Gate {
    fn is_open(&self) -> bool {
        let waiting = self.waiting.load(Ordering::Acquire);
        waiting < USUAL || (waiting < MOST && self.sending.load(Ordering::Acquire) > 0)
    }

    /// Data was queued for a program.
    pub(crate) fn arrived(&self, bytes: usize) {
        self.waiting.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Queued data was used or dropped.
    pub(crate) fn taken(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::AcqRel);
        self.reader.wake();
    }

    /// Notes that output is being sent, until the answer is dropped.
    pub(crate) fn sending(&self) -> Sending<'_> {
        self.sending.fetch_add(1, Ordering::AcqRel);
        self.reader.wake();
        Sending(self)
    }

    /// Breaks the connection, whatever it waits for.
    pub(crate) fn break_off(&self) {
        self.broken.store(true, Ordering::Release);
        self.reader.wake();
        self.writer.wake();
    }

    fn check(&self) -> io::Result<()> {
        if self.broken.load(Ordering::Acquire) { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

/// Output that is being sent.
pub(crate) struct Sending<'a>(&'a Gate);

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        self.0.sending.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A client's socket behind a gate.
#[derive(Debug)]
pub(crate) struct Gated<S> {
    stream: S,
    gate: Arc<Gate>,
}

impl<S> Gated<S> {
    pub(crate) fn new(stream: S, gate: Arc<Gate>) -> Self {
        Self { stream, gate }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gated<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // Before the look: what happens after it wakes.
        self.gate.reader.register(cx.waker());
        self.gate.check()?;
        if !self.gate.is_open() {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gated<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.gate.writer.register(cx.waker());
        self.gate.check()?;
        Pin::new(&mut self.stream).poll_write(cx, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.gate.writer.register(cx.waker());
        self.gate.check()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Whether it has read something when everything that is ready has run.
    async fn reads(gated: &mut Gated<tokio::io::DuplexStream>) -> Option<io::Result<u8>> {
        tokio::select! {
            biased;
            byte = gated.read_u8() => Some(byte),
            () = tokio::task::yield_now() => None,
        }
    }

    #[tokio::test]
    async fn nothing_is_read_while_too_much_waits() {
        let (mut client, server) = tokio::io::duplex(64);
        let gate = Arc::new(Gate::default());
        let mut gated = Gated::new(server, Arc::clone(&gate));
        client.write_all(&[1, 2, 3, 4]).await.unwrap();
        assert_eq!(reads(&mut gated).await.unwrap().unwrap(), 1);
        gate.arrived(USUAL);
        assert!(reads(&mut gated).await.is_none());
        {
            let _sending = gate.sending();
            assert_eq!(reads(&mut gated).await.unwrap().unwrap(), 2);
            gate.arrived(MOST - USUAL);
            assert!(reads(&mut gated).await.is_none());
        }
        gate.taken(MOST - USUAL);
        assert!(reads(&mut gated).await.is_none());
        gate.taken(1);
        assert_eq!(reads(&mut gated).await.unwrap().unwrap(), 3);
        gate.break_off();
        assert_eq!(reads(&mut gated).await.unwrap().unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        assert!(gated.write_u8(0).await.is_err());
    }

    #[tokio::test]
    async fn what_is_taken_wakes_the_reader() {
        let (mut client, server) = tokio::io::duplex(64);
        let gate = Arc::new(Gate::default());
        let mut gated = Gated::new(server, Arc::clone(&gate));
        client.write_all(&[7]).await.unwrap();
        gate.arrived(USUAL);
        let reading = tokio::spawn(async move { gated.read_u8().await });
        tokio::task::yield_now().await;
        gate.taken(1);
        assert_eq!(reading.await.unwrap().unwrap(), 7);
    }
}
