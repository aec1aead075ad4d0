//! The span of a guest's request, from its head to the last byte of the response.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::guests::Guest;

/// Keeps the guest's connection from being evicted while it exists.
#[derive(Debug)]
pub(super) struct Visit(Guest);

impl Visit {
    pub(super) fn begin(guest: Guest) -> Self {
        guest.begin();
        Self(guest)
    }

    /// Extends the visit until the response body has been sent, unless the client has authenticated.
    pub(super) fn until_sent(self, response: Response) -> Response {
        if !self.0.is_there() || response.body().is_end_stream() {
            return response;
        }
        response.map(|body| Body::new(Lasting { body, _visit: self }))
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Lasting {
    body: Body,
    _visit: Visit,
}

impl HttpBody for Lasting {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
