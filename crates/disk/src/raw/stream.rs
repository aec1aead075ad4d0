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
    if total <= CHUNK_BYTES {
        let mut all = Vec::with_capacity(usize::try_from(total).unwrap_or_default());
        for piece in pieces {
            match piece {
                Piece::Text(text) => all.extend_from_slice(&text),
                Piece::Part(from, bytes) => {
                    let mut at = from;
                    while at < from + bytes {
                        let read = read(&file, at, from + bytes - at)?;
                        at += u64::try_from(read.len()).unwrap_or_default();
                        all.extend_from_slice(&read);
                    }
                }
            }
        }
        return Ok(Body::from(all));
    }
    let state = (Arc::new(file), VecDeque::from(pieces));
    Ok(Body::from_stream(stream::try_unfold(state, |(file, mut pieces)| async move {
        let chunk = match pieces.pop_front() {
            None => return Ok(None),
            Some(Piece::Text(text)) => text,
            Some(Piece::Part(from, bytes)) => {
                let reading = Arc::clone(&file);
                let chunk = tokio::task::spawn_blocking(move || read(&reading, from, bytes)).await??;
                let got = u64::try_from(chunk.len()).unwrap_or_default();
                if got < bytes {
                    pieces.push_front(Piece::Part(from + got, bytes - got));
                }
                chunk
            }
        };
        Ok::<_, io::Error>(Some((chunk, (file, pieces))))
    })))
}

pub(super) fn length(piece: &Piece) -> u64 {
    match piece {
        Piece::Text(text) => u64::try_from(text.len()).unwrap_or_default(),
        Piece::Part(_, bytes) => *bytes,
    }
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
