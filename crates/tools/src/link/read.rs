//! Reads the frames of the other side.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

use super::{ALL_OUT_BYTES, Fault, Handle, Link, Side};
use crate::wire::{Code, HEADER_BYTES, Header, Hello, Kind, Malformed, Request};

/// Bytes that are read at once.
const READ_BYTES: usize = 16 << 10;
/// Bytes shown of what is not the protocol.
const SHOWN_BYTES: usize = 256;

impl Link {
    /// Reads to the end of the stream. `opened` is called with each channel that the portal opens, and must not wait;
    /// `heard` after each frame.
    ///
    /// # Errors
    /// What the other side did wrong, and those of the stream.
    pub async fn read(
        self: &Arc<Self>,
        from: impl AsyncRead + Unpin,
        mut opened: impl FnMut(Handle, Request),
        mut heard: impl FnMut(),
    ) -> Result<(), Fault> {
        let side = self.lock().side;
        let mut from = BufReader::with_capacity(READ_BYTES, from);
        read_hello(&mut from).await?;
        self.greet();
        while let Some(header) = read_header(&mut from).await? {
            heard();
            if side == Side::Program {
                self.room(ALL_OUT_BYTES).await;
            }
            if matches!(header.kind, Kind::Data | Kind::Errors) {
                if header.kind == Kind::Errors && side == Side::Program {
                    return Err(Malformed("a frame of the other side").into());
                }
                self.lock().expect_data(header)?;
                self.read_data(header, &mut from).await?;
                continue;
            }
            let mut payload = vec![0; header.length];
            from.read_exact(&mut payload).await?;
            let new = self.lock().take(header, &payload)?;
            if let Some((serial, request)) = new {
                opened(Handle::new(Arc::clone(self), header.channel, serial, None), request);
            }
        }
        Ok(())
    }

    fn greet(&self) {
        let mut state = self.lock();
        state.greeted = true;
        state.wake_waiting();
    }

    /// Without a buffer for a whole frame.
    async fn read_data(&self, header: Header, from: &mut BufReader<impl AsyncRead + Unpin>) -> Result<(), Fault> {
        let mut left = header.length;
        while left > 0 {
            let piece = from.fill_buf().await?;
            if piece.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let taken = piece.len().min(left);
            self.lock().take_data(header, &piece[..taken]);
            from.consume(taken);
            left -= taken;
        }
        Ok(())
    }
}

/// `None` at the end of the stream between two frames.
async fn read_header(from: &mut BufReader<impl AsyncRead + Unpin>) -> Result<Option<Header>, Fault> {
    if from.fill_buf().await?.is_empty() {
        return Ok(None);
    }
    let mut bytes = [0; HEADER_BYTES];
    from.read_exact(&mut bytes).await?;
    Ok(Some(Header::parse(bytes)?))
}

async fn read_hello(from: &mut BufReader<impl AsyncRead + Unpin>) -> Result<(), Fault> {
    let first = from.fill_buf().await?;
    if first.is_empty() {
        return Err(Fault::Ended);
    }
    let shown = String::from_utf8_lossy(&first[..first.len().min(SHOWN_BYTES)]).into_owned();
    let not_spoken = |_| Fault::NotSpoken(shown.clone());
    let mut bytes = [0; HEADER_BYTES];
    from.read_exact(&mut bytes).await.map_err(|_| Fault::NotSpoken(shown.clone()))?;
    let header = Header::parse(bytes).map_err(not_spoken)?;
    if header.kind != Kind::Hello {
        return Err(Fault::NotSpoken(shown));
    }
    let mut payload = vec![0; header.length];
    from.read_exact(&mut payload).await?;
    let theirs = Hello::from_slice(&payload).map_err(|_| Fault::NotSpoken(shown))?;
    Hello::OURS.agree(theirs)?;
    Ok(())
}
