//! Sends files from the page cache straight to the socket (`sendfile(2)`), below hyper, without a copy through this
//! process.
//!
//! hyper only supports bodies as bytes in memory. So a body gives it a *stand-in* instead: a slice of one static
//! buffer, as long as the range of the file that it replaces. hyper counts and frames it like any other bytes and
//! finally passes it to the connection's own [`FileStream`], which recognises a stand-in by its address and sends the
//! range of the file.
//!
//! What makes this sound:
//! - No other bytes can have such an address: the buffer is static and only handed out here.
//! - hyper passes on the very slices that it was given as long as the stream reports vectored writes ("queue" as
//!   opposed to "flatten" in its terms), and HTTP/1.1 with a known length puts nothing between them. HTTP/2 and TLS
//!   would copy them; there is no [`FileSender`] then.
//! - The range does not depend on the address. Each connection has a list of its promises, in order. A stand-in that is
//!   not the next one on the list, byte for byte, breaks the connection.
//! - Bytes that were copied on the way would be sent as zeros, with the promise left over. hyper flushes only when
//!   everything that it was given is written; promises that are open then break the connection. So even a mistake never
//!   affects a second response.
//! - A file that became shorter breaks the connection. Bytes on their way are the file's own memory in the kernel: no
//!   other file gets it meanwhile, but a program that overwrites or truncates a file in place (the disk itself never
//!   does) also changes bytes that the client has not received yet, some megabytes at most. This is the case for every
//!   server that uses `sendfile`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::extract::OptionalFromRequestParts;
use bytes::Bytes;
use http::{Version, request::Parts};
use rustix::fs::sendfile;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// Maximum length of a range. Other connections of the same thread wait while it is sent.
pub const STAND_IN_BYTES: usize = 512 * 1024;

/// The buffer of all stand-ins. It is never read.
static STAND_IN: [u8; STAND_IN_BYTES] = [0; STAND_IN_BYTES];

/// A range of a file that hyper has a stand-in for.
#[derive(Debug)]
struct Promise {
    file: Arc<File>,
    /// The next byte to be sent.
    at: u64,
    bytes: usize,
    sent: usize,
}

impl Promise {
    /// Whether this slice is the unsent rest of the stand-in.
    fn is_kept_by(&self, slice: &[u8]) -> bool {
        slice.as_ptr() == STAND_IN[self.sent..].as_ptr() && slice.len() == self.bytes - self.sent
    }
}

/// Lets a response's body send a file over the connection of its request. In the extensions of each request on a
/// connection that supports it; extracted as `Option<FileSender>`.
#[derive(Clone, Debug, Default)]
pub struct FileSender(Arc<Mutex<VecDeque<Promise>>>);

impl FileSender {
    /// `None` where bodies do not reach the socket unchanged: over TLS, in HTTP/2, and in tests without a connection.
    #[must_use]
    pub fn of(parts: &Parts) -> Option<Self> {
        let is_plain = matches!(parts.version, Version::HTTP_10 | Version::HTTP_11);
        parts.extensions.get::<Self>().filter(|_| is_plain).cloned()
    }

    /// The next bytes of a body with a known length, for a range of a file, at most [`STAND_IN_BYTES`] of it. They must
    /// be given to the server at once and unchanged. Sending waits for the disk where the range is not in the page
    /// cache.
    #[must_use]
    pub fn stand_in(&self, file: &Arc<File>, at: u64, bytes: usize) -> Bytes {
        let bytes = bytes.min(STAND_IN_BYTES);
        if bytes > 0 {
            self.promises().push_back(Promise { file: Arc::clone(file), at, bytes, sent: 0 });
        }
        Bytes::from_static(&STAND_IN[..bytes])
    }

    fn promises(&self) -> MutexGuard<'_, VecDeque<Promise>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for FileSender {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Option<Self>, Infallible> {
        Ok(Self::of(parts))
    }
}

/// A connection that replaces stand-ins by files.
#[derive(Debug)]
pub struct FileStream {
    stream: TcpStream,
    sender: FileSender,
}

impl FileStream {
    /// Wraps a connection. The sender belongs into the extensions of its requests, and of no
    /// others.
    #[must_use]
    pub fn new(stream: TcpStream) -> (Self, FileSender) {
        let sender = FileSender::default();
        (Self { stream, sender: sender.clone() }, sender)
    }

    /// Sends as much as possible of one slice; with `more` the kernel combines it with the next one in a packet.
    fn poll_send(&self, cx: &mut Context<'_>, slice: &[u8], more: bool) -> Poll<io::Result<usize>> {
        if !is_stand_in(slice) {
            let flags = SendFlags::NOSIGNAL | if more { SendFlags::MORE } else { SendFlags::empty() };
            return self.poll_socket(cx, || send(&self.stream, slice, flags));
        }
        let mut promises = self.sender.promises();
        let kept = promises.front_mut().filter(|promise| promise.is_kept_by(slice));
        let Some(promise) = kept else { return Poll::Ready(Err(broken("a stand-in came out of turn"))) };
        let sent = ready!(self.poll_socket(cx, || {
            sendfile(&self.stream, &promise.file, Some(&mut promise.at), promise.bytes - promise.sent)
        }))?;
        if sent == 0 {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter")));
        }
        promise.sent += sent;
        if promise.sent == promise.bytes {
            promises.pop_front();
        }
        Poll::Ready(Ok(sent))
    }

    /// Calls once the socket has room.
    fn poll_socket(
        &self,
        cx: &mut Context<'_>,
        mut call: impl FnMut() -> Result<usize, Errno>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream.poll_write_ready(cx))?;
            match self.stream.try_io(Interest::WRITABLE, || call().map_err(io::Error::from)) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

fn is_stand_in(slice: &[u8]) -> bool {
    STAND_IN.as_ptr_range().contains(&slice.as_ptr())
}

fn broken(what: &'static str) -> io::Error {
    io::Error::other(what)
}

impl AsyncRead for FileStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for FileStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if !bufs.iter().any(|slice| is_stand_in(slice)) {
            return Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        }
        let mut written = 0;
        for (index, slice) in bufs.iter().enumerate().filter(|(_, slice)| !slice.is_empty()) {
            match self.poll_send(cx, slice, index + 1 < bufs.len()) {
                Poll::Ready(Ok(sent)) => {
                    written += sent;
                    if sent < slice.len() {
                        break;
                    }
                }
                // Written bytes must be reported; the caller polls again and then waits.
                Poll::Pending if written > 0 => break,
                other => return other,
            }
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.sender.promises().is_empty() {
            return Poll::Ready(Err(broken("a stand-in was copied")));
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
