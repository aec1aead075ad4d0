//! Graceful stop: no new connections, time for running requests, and a response for those that exceed it.

use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum_server::Handle;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tower_http::timeout::TimeoutBody;

use super::STALL_TIMEOUT;
use super::listen::Peer;

/// Time for the responses to requests whose bodies were cut off.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Stops a server; clones stop the same one.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    pub(super) handle: Handle<Peer>,
    giving_up: CancellationToken,
}

impl Stop {
    /// Connections that are open now.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.handle.connection_count()
    }

    /// Accepts no new connections. Running requests may finish within `limit`; a body that is not complete by then is
    /// cut off, so that its handler can still respond.
    pub fn begin(&self, limit: Duration) {
        self.handle.graceful_shutdown(Some(limit + LAST_WORDS));
        let giving_up = self.giving_up.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(limit, pending::<()>()).await;
            giving_up.cancel();
        });
    }

    /// Breaks all connections off.
    pub fn at_once(&self) {
        self.handle.shutdown();
    }

    /// Wraps a body so that it ends at the limit or when its client is gone. Costs nothing for a request without a
    /// body.
    pub(super) fn watch(&self, body: Incoming) -> Body {
        if body.is_end_stream() {
            return Body::empty();
        }
        let body = Box::pin(TimeoutBody::new(STALL_TIMEOUT, body));
        let given_up = Box::pin(self.giving_up.clone().cancelled_owned());
        Body::new(Watched { body, given_up })
    }
}

/// A body that had not come to its end when the server had to.
#[derive(Debug, thiserror::Error)]
#[error("the server stops")]
pub(crate) struct GivenUp;

struct Watched {
    body: Pin<Box<TimeoutBody<Incoming>>>,
    given_up: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.given_up.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(GivenUp.into())));
        }
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
