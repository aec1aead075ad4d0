//! Carries bytes from one stream to another with a fixed buffer, so that a slow reader slows its writer down.

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, copy_buf};

/// Bytes on their way.
const BUFFER: usize = 32 << 10;

/// To the end of `from` or until `to` takes no more, either of which ends `to` too.
pub(super) async fn pump(from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let mut from = BufReader::with_capacity(BUFFER, from);
    let _ = copy_buf(&mut from, &mut to).await;
    let _ = to.shutdown().await;
}
