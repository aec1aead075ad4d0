//! Parts of a file as a body.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use rustix::buffer::spare_capacity;
use rustix::io::pread;
use tokio::task::JoinHandle;

/// Read at once: large enough that the hop to a blocking thread costs next to nothing.
pub(super) const CHUNK_BYTES: u64 = 256 * 1024;

/// A stretch of a body.
#[derive(Debug)]
pub(super) enum Piece {
    /// Bytes as they are.
    Text(Bytes),
    /// From this byte of the file on, this many.
    Part(u64, u64),
}

/// A body of these pieces. What is small enough is read at once, so that head and body leave in
/// one write; the caller is on a blocking thread.
pub(super) fn body(file: File, pieces: Vec<Piece>) -> io::Result<Body> {
    let total: u64 = pieces.iter().map(length).sum();
    if let [Piece::Part(from, bytes)] = pieces[..]
        && bytes <= CHUNK_BYTES
    {
        return Ok(whole(&file, from, bytes)?.into());
    }
    if total <= CHUNK_BYTES {
        let mut all = Vec::with_capacity(usize::try_from(total).unwrap_or_default());
        for piece in pieces {
            match piece {
                Piece::Text(text) => all.extend_from_slice(&text),
                Piece::Part(from, bytes) => all.extend_from_slice(&whole(&file, from, bytes)?),
            }
        }
        return Ok(Body::from(all));
    }
    let mut reading = Reading { file: Arc::new(file), pieces: pieces.into(), ahead: None };
    reading.go_on();
    Ok(Body::from_stream(stream::try_unfold(reading, |mut reading| async move {
        let chunk = reading.next().await?;
        reading.go_on();
        Ok::<_, io::Error>(chunk.map(|chunk| (chunk, reading)))
    })))
}

/// Pieces on their way out.
struct Reading {
    file: Arc<File>,
    pieces: VecDeque<Piece>,
    /// The chunk that is read while the one before is sent.
    ahead: Option<JoinHandle<io::Result<Bytes>>>,
}

impl Reading {
    fn go_on(&mut self) {
        if let (None, Some(Piece::Part(from, bytes))) = (&self.ahead, self.pieces.front()) {
            let (file, from, bytes) = (Arc::clone(&self.file), *from, *bytes);
            self.ahead = Some(tokio::task::spawn_blocking(move || read(&file, from, bytes)));
        }
    }

    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(ahead) = self.ahead.take() else {
            return Ok(self.pieces.pop_front().and_then(|piece| match piece {
                Piece::Text(text) => Some(text),
                // Reading it would have begun.
                Piece::Part(..) => None,
            }));
        };
        let chunk = ahead.await??;
        let got = u64::try_from(chunk.len()).unwrap_or_default();
        if let Some(Piece::Part(from, bytes)) = self.pieces.pop_front()
            && got < bytes
        {
            self.pieces.push_front(Piece::Part(from + got, bytes - got));
        }
        Ok(Some(chunk))
    }
}

pub(super) fn length(piece: &Piece) -> u64 {
    match piece {
        Piece::Text(text) => u64::try_from(text.len()).unwrap_or_default(),
        Piece::Part(_, bytes) => *bytes,
    }
}

/// All of a part that is no larger than a chunk.
fn whole(file: &File, from: u64, bytes: u64) -> io::Result<Bytes> {
    let part = read(file, from, bytes)?;
    let complete = u64::try_from(part.len()).is_ok_and(|got| got == bytes);
    if complete { Ok(part) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Some of it, at most a chunk. A file that became shorter ends the answer, which the client
/// sees by the missing bytes.
fn read(file: &File, from: u64, bytes: u64) -> io::Result<Bytes> {
    let size = usize::try_from(bytes.min(CHUNK_BYTES)).unwrap_or_default();
    let mut chunk = Vec::with_capacity(size.max(1));
    let (mut filled, mut at) = (0, from);
    while filled < size {
        let got = match pread(file, spare_capacity(&mut chunk), at) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        if got == 0 {
            break;
        }
        filled += got;
        at += u64::try_from(got).unwrap_or_default();
    }
    if chunk.is_empty() && size > 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    chunk.truncate(size);
    Ok(chunk.into())
}
