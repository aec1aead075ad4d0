//! Closes connections that send nothing, connections whose client stops reading, and evicted guests. hyper limits the
//! time for a request's head, but only once it knows the version of HTTP, for which it waits without a limit; and it
//! waits without a limit for a client to read.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::eviction::Eviction;
use super::heads::{Heads, REFUSED};
use super::listen::Accepted;

/// The longest preface: these bytes distinguish HTTP/2 from HTTP/1 (RFC 9113 §3.4).
const PREFACE_BYTES: usize = 24;

/// Runs the inner acceptor, then limits the time to the first bytes and the time in which nothing can be written.
#[derive(Clone, Debug)]
pub(super) struct PromptAcceptor<A> {
    inner: A,
    opening: Duration,
    stall: Duration,
}

impl<A> PromptAcceptor<A> {
    pub(super) fn new(inner: A, opening: Duration, stall: Duration) -> Self {
        Self { inner, opening, stall }
    }
}

impl<A, S> Accept<Accepted, S> for PromptAcceptor<A>
where
    A: Accept<TcpStream, S>,
    A::Future: Send + 'static,
{
    type Stream = Prompt<A::Stream>;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, accepted: Accepted, service: S) -> Self::Future {
        let Accepted { stream, eviction } = accepted;
        let (accepted, opening, stall) = (self.inner.accept(stream, service), self.opening, self.stall);
        Box::pin(async move {
            let (stream, service) = tokio::select! {
                accepted = accepted => accepted?,
                () = poll_fn(|cx| eviction.poll(cx)) => return Err(io::ErrorKind::ConnectionAborted.into()),
            };
            let deadline = Some(Box::pin(sleep_until(Instant::now() + opening)));
            Ok((
                Prompt {
                    stream,
                    eviction,
                    deadline,
                    seen: 0,
                    heads: Heads::new(),
                    refused: None,
                    stall,
                    stalled: None,
                },
                service,
            ))
        })
    }
}

/// A stream that fails if its first bytes do not arrive in time, if nothing can be written for too long, or once it is
/// evicted.
#[derive(Debug)]
pub(super) struct Prompt<S> {
    stream: S,
    eviction: Eviction,
    /// `None` once the preface has arrived.
    deadline: Option<Pin<Box<Sleep>>>,
    seen: usize,
    heads: Heads,
    /// The end of a head that is refused, as far as it was not read yet. Nothing of the client's is read after it.
    refused: Option<&'static [u8]>,
    stall: Duration,
    /// While nothing can be written.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Prompt<S> {
    /// Ends the head so that it is refused; after that there is nothing more to read.
    fn refuse(&mut self, buf: &mut ReadBuf<'_>) {
        let Some(rest) = self.refused else { return };
        let (now, later) = rest.split_at(rest.len().min(buf.remaining()));
        buf.put_slice(now);
        self.refused = Some(later);
    }

    /// Passes on the result of a write, unless nothing could be written for too long.
    fn written<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let until = Instant::now() + self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(until)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Prompt<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if self.eviction.poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if self.refused.is_some() {
            self.refuse(buf);
            return Poll::Ready(Ok(()));
        }
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let new = buf.filled().get(before..).unwrap_or_default();
        self.seen += new.len();
        if let Some(at) = self.heads.look(new) {
            buf.set_filled(before + at);
            self.refused = Some(REFUSED);
            self.refuse(buf);
        }
        if self.seen >= PREFACE_BYTES {
            self.deadline = None;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Prompt<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        // A response is being written, so the preface was understood.
        self.deadline = None;
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.written(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.deadline = None;
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
