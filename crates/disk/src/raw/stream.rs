//! Parts of a file as a body.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use disk_core::jail::Meta;
use futures_util::stream;
use http_kit::{FileSender, STAND_IN_BYTES};
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use tokio::task::JoinHandle;

/// Read at once: large enough that the hop to a blocking thread costs next to nothing.
const CHUNK_BYTES: usize = 256 * 1024;
/// Bodies up to this size are sent in one write with the head, even where the connection could send them from the page
/// cache, which takes two more system calls.
const COPIED_BYTES: usize = 16 * 1024;
/// Distance of the bytes that are probed in the page cache. The kernel reads ahead and evicts in larger pieces.
const LOOKED_FOR_EVERY: usize = 128 * 1024;

/// A stretch of a body.
#[derive(Debug)]
pub(super) enum Piece {
    /// Bytes as they are.
    Text(Bytes),
    /// From this byte of the file on, this many.
    Part(u64, u64),
}

/// An open file to be sent, and the ways to send it.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    pub(super) meta: Meta,
    sender: Option<FileSender>,
    waits: bool,
}

impl Source {
    pub(crate) fn new(file: File, meta: Meta) -> Self {
        Self { file, meta, sender: None, waits: true }
    }

    /// Lets the connection itself send content from the page cache, if it can.
    pub(crate) fn by(self, sender: Option<FileSender>) -> Self {
        Self { sender, ..self }
    }

    /// The caller must not wait for the disk: a read that would block fails.
    pub(super) fn without_waiting(self) -> Self {
        Self { waits: false, ..self }
    }
}

/// A body of these pieces. A small one is read now, so that head and body leave in one write; for that the caller is on
/// a blocking thread, unless the source must not wait.
pub(super) fn body(source: Source, pieces: Vec<Piece>) -> io::Result<Body> {
    let total = usize::try_from(pieces.iter().map(length).sum::<u64>()).unwrap_or(usize::MAX);
    let at_once = if source.sender.is_some() { COPIED_BYTES } else { CHUNK_BYTES };
    if total <= at_once {
        let flags = if source.waits { ReadWriteFlags::empty() } else { ReadWriteFlags::NOWAIT };
        let mut all = vec![0; total];
        let mut rest = &mut all[..];
        for piece in pieces {
            let (now, later) = rest.split_at_mut(at_most(length(&piece), rest.len()));
            match piece {
                Piece::Text(text) => now.copy_from_slice(&text),
                Piece::Part(from, _) => fill(&source.file, from, now, flags)?,
            }
            rest = later;
        }
        return Ok(Body::from(all));
    }
    let Source { file, sender, .. } = source;
    let mut reading = Reading { file: Arc::new(file), sender, pieces: pieces.into(), ahead: None };
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
    sender: Option<FileSender>,
    pieces: VecDeque<Piece>,
    /// The chunk that is read while the previous one is sent. `None` where the next piece needs no read.
    ahead: Option<JoinHandle<io::Result<Bytes>>>,
}

impl Reading {
    /// Begins to read the next piece, unless it is in the page cache and can be sent from there: then sending it will
    /// not wait for the disk.
    fn go_on(&mut self) {
        if let (None, Some(Piece::Part(from, bytes))) = (&self.ahead, self.pieces.front()) {
            let (file, from) = (Arc::clone(&self.file), *from);
            if self.sender.is_some() && is_in_memory(&file, from, at_most(*bytes, STAND_IN_BYTES)) {
                return;
            }
            let size = at_most(*bytes, CHUNK_BYTES);
            self.ahead = Some(tokio::task::spawn_blocking(move || chunk(&file, from, size)));
        }
    }

    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let read = match self.ahead.take() {
            Some(ahead) => Some(ahead.await??),
            None => None,
        };
        let Some(piece) = self.pieces.pop_front() else { return Ok(None) };
        let (from, bytes) = match piece {
            Piece::Text(text) => return Ok(Some(text)),
            Piece::Part(from, bytes) => (from, bytes),
        };
        let chunk = match (read, &self.sender) {
            (Some(chunk), _) => chunk,
            (None, Some(sender)) => sender.stand_in(&self.file, from, at_most(bytes, STAND_IN_BYTES)),
            (None, None) => return Err(io::Error::other("nobody reads the file")),
        };
        let got = u64::try_from(chunk.len()).unwrap_or_default();
        if got < bytes {
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

fn at_most(bytes: u64, most: usize) -> usize {
    usize::try_from(bytes).map_or(most, |bytes| bytes.min(most))
}

/// Whether this part is in the page cache, judged by a few of its bytes.
fn is_in_memory(file: &File, from: u64, bytes: usize) -> bool {
    let last = bytes.saturating_sub(1);
    (0..last).step_by(LOOKED_FOR_EVERY).chain([last]).all(|at| {
        let mut byte = [0];
        let at = from + u64::try_from(at).unwrap_or_default();
        preadv2(file, &mut [IoSliceMut::new(&mut byte)], at, ReadWriteFlags::NOWAIT) == Ok(1)
    })
}

/// Reads a whole part.
fn fill(file: &File, mut from: u64, mut part: &mut [u8], flags: ReadWriteFlags) -> io::Result<()> {
    while !part.is_empty() {
        match preadv2(file, &mut [IoSliceMut::new(part)], from, flags) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(got) => {
                part = &mut part[got..];
                from += u64::try_from(got).unwrap_or_default();
            }
            Err(Errno::INTR) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

/// Some of a part, at least a byte. A file that became shorter ends the answer, which the client
/// sees by the missing bytes.
fn chunk(file: &File, from: u64, size: usize) -> io::Result<Bytes> {
    let mut chunk = Vec::with_capacity(size);
    while chunk.len() < size {
        let at = from + u64::try_from(chunk.len()).unwrap_or_default();
        match pread(file, spare_capacity(&mut chunk), at) {
            Ok(0) if chunk.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(other) => return Err(other.into()),
        }
    }
    chunk.truncate(size);
    Ok(chunk.into())
}
