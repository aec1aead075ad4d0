//! `Expect: 100-continue`. If a handler answers without polling the body, hyper never sends 100 and
//! closes the connection, because the unread body may still follow. RFC 9110 §10.1.1 requires
//! `Connection: close` in that answer; without it the client reuses a closed connection.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::BoxError;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Request, Version, header};
use http_body::{Body as HttpBody, Frame, SizeHint};

/// Tracks whether hyper sent 100 to a client that expects it.
pub(super) struct Expectation(Arc<AtomicBool>);

impl Expectation {
    /// Wraps the body of a request that carries `Expect`, to observe whether it is polled.
    pub(super) fn watch(request: Request<Body>) -> (Request<Body>, Option<Self>) {
        // HTTP/2 ends a stream without its connection.
        if request.version() > Version::HTTP_11 || !request.headers().contains_key(header::EXPECT) {
            return (request, None);
        }
        let polled = Arc::new(AtomicBool::new(false));
        let expectation = Self(Arc::clone(&polled));
        (request.map(|body| Body::new(WatchedBody { body, polled })), Some(expectation))
    }

    /// Adds `Connection: close` unless the body was polled.
    pub(super) fn settle(self, response: &mut Response) {
        if !self.0.load(Ordering::Relaxed) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

struct WatchedBody {
    body: Body,
    polled: Arc<AtomicBool>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // The first poll makes hyper send 100.
        self.polled.store(true, Ordering::Relaxed);
        Pin::new(&mut self.body).poll_frame(cx).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
