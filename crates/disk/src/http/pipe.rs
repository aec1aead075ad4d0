//! A body that is written piece by piece by work on a blocking thread: archives, long listings.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use disk_core::error::DiskResult;
use futures_util::stream;
use kernel::UserId;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};

/// Handed on at once: large enough that the hop between threads costs next to nothing.
const CHUNK_BYTES: usize = 256 * 1024;
/// Chunks that may wait for the client.
const WAITING_CHUNKS: usize = 4;
/// A client that reads nothing for this long loses the connection (nginx's `send_timeout`), because a thread waits for
/// it.
const STALLED: Duration = Duration::from_secs(60);
/// Bodies written concurrently; further ones wait for one of these to end. The runtime has 512 blocking threads, and
/// other file work must find one.
const MOST_AT_ONCE: usize = 128;
/// Maximum of these for one reader, so that one client cannot hold up all others.
const MOST_OF_ONE: usize = 32;

static ROOM: Semaphore = Semaphore::const_new(MOST_AT_ONCE);
/// Readers with a body in progress.
static READERS: LazyLock<Mutex<HashMap<Reader, Arc<Semaphore>>>> = LazyLock::new(Mutex::default);

/// The reader that a body is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reader {
    Person(UserId),
    /// All visitors of this person's shares together.
    VisitorsOf(UserId),
}

impl Reader {
    fn room(self) -> Arc<Semaphore> {
        let mut readers = READERS.lock().unwrap_or_else(PoisonError::into_inner);
        readers.retain(|_, room| Arc::strong_count(room) > 1);
        Arc::clone(readers.entry(self).or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_ONE))))
    }
}

/// A writer whose output is sent to the client.
///
/// The body only counts as complete after [`Pipe::finish`]. When the work fails or panics the connection breaks, so
/// that a part cannot be taken for the whole.
pub(crate) struct Pipe {
    chunks: mpsc::Sender<Message>,
    buffer: Vec<u8>,
    runtime: Handle,
}

enum Message {
    Chunk(Bytes),
    End,
}

impl Pipe {
    /// A body with the output of this work. An error is logged, except a disconnected client: then every further write
    /// fails, which ends the work.
    pub(crate) fn body<F>(reader: Reader, work: F) -> Body
    where
        F: FnOnce(&mut Self) -> DiskResult<()> + Send + 'static,
    {
        let (chunks, waiting) = mpsc::channel(WAITING_CHUNKS);
        let mut pipe = Self { chunks, buffer: Vec::new(), runtime: Handle::current() };
        let span = tracing::Span::current();
        tokio::spawn(async move {
            // These semaphores are never closed. The reader's own permit is taken first.
            let own = reader.room();
            let _rooms = (own.acquire().await, ROOM.acquire().await);
            let writing = move || {
                let _inside = span.enter();
                let written = work(&mut pipe).and_then(|()| Ok(pipe.finish()?));
                if let Err(error) = written
                    && !pipe.chunks.is_closed()
                {
                    tracing::warn!(error = %error, "an answer broke off");
                }
            };
            // A panic is reported by the runtime and breaks the connection by itself.
            let _ = tokio::task::spawn_blocking(writing).await;
        });
        Body::from_stream(stream::try_unfold(waiting, |mut waiting| async move {
            match waiting.recv().await {
                Some(Message::Chunk(chunk)) => Ok(Some((chunk, waiting))),
                Some(Message::End) => Ok(None),
                None => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            }
        }))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.send(Message::End)
    }

    fn send(&self, message: Message) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        match self.chunks.try_send(message) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(gone()),
            Err(mpsc::error::TrySendError::Full(message)) => {
                let sent = self.runtime.block_on(self.chunks.send_timeout(message, STALLED));
                sent.map_err(|_| gone())
            }
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(CHUNK_BYTES);
        }
        let taken = bytes.len().min(CHUNK_BYTES - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() == CHUNK_BYTES {
            self.flush()?;
        }
        Ok(taken)
    }

    /// Sends the buffered output.
    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return if self.chunks.is_closed() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) };
        }
        let chunk = std::mem::take(&mut self.buffer);
        self.send(Message::Chunk(chunk.into()))
    }
}
