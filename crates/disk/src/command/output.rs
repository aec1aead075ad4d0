//! Output of a command, line by line, as it arrives.

use std::io;

use bytes::{Buf, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

/// A longer line is sent in pieces.
const MAX_LINE: usize = 8 * 1024;

/// The reading end of the one pipe for both standard output and standard error, so that they keep their order.
#[derive(Debug)]
pub(super) struct Output {
    pipe: Receiver,
    read: BytesMut,
    ended: bool,
    /// Bytes that have come so far.
    pub(super) total: usize,
}

impl Output {
    pub(super) fn new(pipe: io::PipeReader) -> io::Result<Self> {
        let pipe = Receiver::from_owned_fd(pipe.into())?;
        Ok(Self { pipe, read: BytesMut::new(), ended: false, total: 0 })
    }

    /// The next line without its end; `None` after the last. Cancel-safe: a dropped call loses nothing.
    pub(super) async fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(None);
            }
            self.read.reserve(MAX_LINE);
            let got = self.pipe.read_buf(&mut self.read).await?;
            self.total += got;
            self.ended = got == 0;
        }
    }

    fn take_line(&mut self) -> Option<String> {
        let window = &self.read[..self.read.len().min(MAX_LINE)];
        let (line, taken) = match window.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&window[..end], end + 1),
            None if window.len() == MAX_LINE || (self.ended && !window.is_empty()) => (window, window.len()),
            None => return None,
        };
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        self.read.advance(taken);
        Some(line)
    }
}
