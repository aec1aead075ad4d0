//! Reading on what a refused client still sends. Answering at once would make most clients lose
//! the answer: they see a reset connection while they are still sending.

use std::time::Duration;

use axum::body::Body;
use futures_util::StreamExt;
use http::{HeaderMap, header};

/// Whoever sends for longer learns of the refusal by the connection's end.
const LONGEST: Duration = Duration::from_secs(30);

/// What a client that nobody knows may send for nothing.
pub(crate) const STRANGERS_BYTES: usize = 16 * 1024 * 1024;

/// Reads the body away, at most so many bytes. A client that asked first (`Expect: 100-continue`)
/// has sent nothing and is not told to.
pub(crate) async fn drain(headers: &HeaderMap, body: Body, most: usize) {
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let mut body = body.into_data_stream();
    let all = async {
        let mut read = 0;
        while read < most
            && let Some(Ok(chunk)) = body.next().await
        {
            read += chunk.len();
        }
    };
    let _ = tokio::time::timeout(LONGEST, all).await;
}
