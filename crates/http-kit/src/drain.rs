//! Drains the bodies of refused requests. An immediate response would be lost by most clients: they see a reset
//! connection while they are still sending.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, header};
use tokio::sync::oneshot;

use crate::BodyFault;

/// A client that sends for longer sees the connection close.
const LONGEST: Duration = Duration::from_secs(30);

/// Maximum number of discarded bytes of an unauthenticated client.
pub const STRANGERS_BYTES: usize = 16 * 1024 * 1024;

/// Discards up to `most` bytes of the body, and nothing of one that is announced as longer, since its end would not be
/// reached. A client that asked first (`Expect: 100-continue`) has sent nothing and is not asked to.
pub async fn drain(headers: &HeaderMap, body: Body, most: usize) {
    if !headers.contains_key(header::EXPECT) && ends_within(headers, most) {
        drain_rest(body.into_data_stream(), most).await;
    }
}

/// The length that a request announces, in bytes.
pub fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn ends_within(headers: &HeaderMap, most: usize) -> bool {
    announced(headers).is_none_or(|length| length <= most as u64)
}

/// The same for a body that was read in part, so that its client was asked to send.
pub async fn drain_rest(mut body: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin, most: usize) {
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

/// Lends a body to a handler that drops it on an error, so that it can still be drained.
pub fn lend(body: Body) -> (Body, Rest) {
    let (back, rest) = oneshot::channel();
    let lent = Lent { body: Some(body.into_data_stream()), begun: false, fault: None, back: Some(back) };
    (Body::from_stream(lent), Rest(rest))
}

/// The rest of a body that was lent.
#[derive(Debug)]
pub struct Rest(oneshot::Receiver<Returned>);

#[derive(Debug)]
struct Returned {
    body: BodyDataStream,
    /// Its client was asked to send.
    begun: bool,
    fault: Option<BodyFault>,
}

impl Rest {
    /// Discards up to `most` remaining bytes once the borrower is finished. Returns the read error, which the borrower
    /// may have swallowed.
    pub async fn drain(mut self, headers: &HeaderMap, most: usize) -> Option<BodyFault> {
        let Returned { body, begun, fault } = self.0.try_recv().ok()?;
        let sends = begun || !headers.contains_key(header::EXPECT);
        if fault.is_none() && sends && ends_within(headers, most) {
            drain_rest(body, most).await;
        }
        fault
    }
}

struct Lent {
    body: Option<BodyDataStream>,
    /// Its client was asked to send.
    begun: bool,
    fault: Option<BodyFault>,
    back: Option<oneshot::Sender<Returned>>,
}

impl Stream for Lent {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.begun = true;
        let next = self.body.as_mut().map_or(Poll::Ready(None), |body| body.poll_next_unpin(cx));
        if let Poll::Ready(Some(Err(error))) = &next {
            self.fault = Some(BodyFault::of(error));
        }
        next
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take()) {
            // Without a receiver the rest is not wanted.
            let _ = back.send(Returned { body, begun: self.begun, fault: self.fault });
        }
    }
}
