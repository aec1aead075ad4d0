//! What every request goes through, around the router. Written as one function, because each layer of
//! a router costs every request several allocations.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use futures_util::FutureExt;
use http::Request;
use hyper::body::Incoming;
use tower::Service;
use tower_http::catch_panic::{DefaultResponseForPanic, ResponseForPanic};

use super::Stop;
use super::compress::Negotiation;
use super::expect::Expectation;
use crate::{TrustedProxies, track};

#[derive(Debug)]
pub(super) struct Door {
    pub(super) app: Router,
    pub(super) stop: Stop,
    pub(super) proxies: TrustedProxies,
}

impl Door {
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response, Infallible> {
        let (mut request, expectation) = Expectation::watch(request.map(|body| self.stop.watch(body)));
        let negotiation = Negotiation::of(&mut request);
        let mut app = self.app.clone();
        let answer = |request| async move {
            let answered = AssertUnwindSafe(async { app.call(request).await }).catch_unwind().await;
            match answered {
                Ok(Ok(response)) => response,
                Err(panicked) => apologise(panicked),
            }
        };
        let mut response = negotiation.apply(track(&self.proxies, request, answer).await).await;
        if let Some(expectation) = expectation {
            expectation.settle(&mut response);
        }
        Ok(response)
    }
}

/// One panicking request answers 500 and takes nothing else down.
fn apologise(panicked: Box<dyn Any + Send>) -> Response {
    DefaultResponseForPanic::default().response_for_panic(panicked).map(Body::new)
}
