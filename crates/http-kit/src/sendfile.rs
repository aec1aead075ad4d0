//! Files straight from the page cache to the socket (`sendfile(2)`), below hyper, without a copy
//! through this process.
//!
//! hyper knows bodies only as bytes in memory. So a body gives it a *stand-in* instead: a slice
//! of one static buffer, as long as the stretch of the file that it stands for. hyper counts and
//! frames it like any other bytes and at last hands it to the connection's own
//! [`FileStream`], which knows a stand-in by its address and sends the stretch of the file.
//!
//! What makes this sound:
//! - No other bytes can have such an address: the buffer is static and never handed out but here.
//! - hyper passes on the very slices that it was given as long as the stream says that it writes
//!   vectored ("queue" as opposed to "flatten" in its terms), and HTTP/1.1 with a known length
//!   puts nothing between them. HTTP/2 and TLS would copy them; there is no [`FileSender`] then.
//! - Which stretch is meant does not depend on the address. Each connection has a list of what
//!   was promised to it, in order. A stand-in that is not the next one on the list, byte for
//!   byte, breaks the connection.
//! - Bytes that were copied on the way would go out as zeros, with the promise left over. hyper
//!   flushes only when all that it was given is written; promises open at that moment break the
//!   connection. So even a mistake never goes on to a second answer.
//! - A file that became shorter breaks the connection. What is on its way is the file's own memory
//!   in the kernel: no other file gets it meanwhile, but a program that writes over a file or cuts
//!   it in its place (the disk itself never does) changes also what the client has not taken
//!   yet, some megabytes at most. So it is with every server that uses `sendfile`.

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

/// The longest stretch that one stand-in can stand for. Other connections of the same thread wait
/// while it is sent.
pub const STAND_IN_BYTES: usize = 512 * 1024;

/// What stand-ins are slices of. Nobody reads it.
static STAND_IN: [u8; STAND_IN_BYTES] = [0; STAND_IN_BYTES];

/// A stretch of a file that hyper has a stand-in for.
#[derive(Debug)]
struct Promise {
    file: Arc<File>,
    /// The next byte to be sent.
    at: u64,
    bytes: usize,
    sent: usize,
}

impl Promise {
    /// Whether this slice is what hyper has left of the stand-in.
    fn is_kept_by(&self, slice: &[u8]) -> bool {
        slice.as_ptr() == STAND_IN[self.sent..].as_ptr() && slice.len() == self.bytes - self.sent
    }
}

/// By which an answer's body has a file sent over the connection that the request came on. In the
/// extensions of each request on a connection that can do it; extracted as
/// `Option<FileSender>`.
#[derive(Clone, Debug, Default)]
pub struct FileSender(Arc<Mutex<VecDeque<Promise>>>);

impl FileSender {
    /// None where bodies don't reach the socket as they are: over TLS, in HTTP/2, and in tests
    /// without a connection.
    #[must_use]
    pub fn of(parts: &Parts) -> Option<Self> {
        let is_plain = matches!(parts.version, Version::HTTP_10 | Version::HTTP_11);
        parts.extensions.get::<Self>().filter(|_| is_plain).cloned()
    }

    /// The next bytes of a body whose length is announced, for a stretch of a file, at most
    /// [`STAND_IN_BYTES`] of it. They must be given to the server at once, as they are. Sending
    /// waits for the disk where the stretch is not in the page cache.
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

/// A connection that sends files for stand-ins.
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

    /// Sends what it can of one slice; `more` will follow at once, so that the kernel puts both
    /// into one packet.
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
                // What was written must be told; the caller comes again and then waits.
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
