//! Common handling of every request, around the router. Written as one function, because each layer of a router costs
//! every request several allocations.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::uri::Authority;
use http::{HeaderValue, Request, Version, header};
use hyper::body::Incoming;
use kernel::ErrorKind;
use tower_http::catch_panic::{DefaultResponseForPanic, ResponseForPanic};

use super::Stop;
use super::app::App;
use super::compress::Negotiation;
use super::expect::Expectation;
use super::guests::{Guest, GuestBook};
use super::listen::Peer;
use super::visit::Visit;
use crate::{ApiError, OverTls, TrustedProxies, track};

#[derive(Debug)]
pub(super) struct Door {
    pub(super) app: App,
    pub(super) stop: Stop,
    pub(super) proxies: TrustedProxies,
    pub(super) guests: GuestBook,
    /// Requests behind a proxy whose credentials are not verified yet.
    pub(super) claimants: GuestBook,
    /// Whether TLS is spoken here.
    pub(super) secure: bool,
}

impl Door {
    pub(super) async fn answer(
        self: Arc<Self>,
        peer: Peer,
        request: Request<Incoming>,
    ) -> Result<Response, Infallible> {
        if !names_one_host(&request) {
            return Ok(hostless());
        }
        let (mut request, expectation) = Expectation::watch(request.map(|body| self.stop.watch(body)));
        let guest = match peer.guest {
            Some(guest) => Some(guest),
            // Behind a proxy, each request is a guest of its own. Those with credentials have a book to themselves:
            // anonymous ones must not crowd out signed-in people, and what is only called a credential, on a call that
            // asks for none, must not be free.
            None => {
                let client = self.proxies.client(peer.address.ip().to_canonical(), request.headers());
                let admitted = if has_credentials(&request) {
                    self.claimants.claim(client).await
                } else {
                    self.guests.request(client)
                };
                let Some(guest) = admitted else { return Ok(crowded()) };
                Some(guest)
            }
        };
        let visit = guest.filter(Guest::is_there).map(|guest| {
            request.extensions_mut().insert(guest.clone());
            Visit::begin(guest)
        });
        if self.secure {
            request.extensions_mut().insert(OverTls);
        }
        let negotiation = Negotiation::of(&mut request);
        let answer =
            async |request| AssertUnwindSafe(self.app.answer(request)).catch_unwind().await.unwrap_or_else(apologise);
        let mut response = negotiation.apply(track(&self.proxies, Some(peer.address), request, answer).await);
        if let Some(expectation) = expectation {
            expectation.settle(&mut response);
        }
        Ok(match visit {
            Some(visit) => visit.until_sent(response),
            None => response,
        })
    }
}

/// Whether a request has exactly one valid Host header (RFC 9112 §3.2).
fn names_one_host<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_plain_host(host.as_bytes()) || is_host(host),
        // HTTP/2 uses `:authority`, and HTTP/1.0 does not require the header.
        (None, _) => request.version() != Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

/// Whether this is a name or an IPv4 address, with or without a port: nearly always, and decided without the parser.
fn is_plain_host(host: &[u8]) -> bool {
    let port = host.iter().rposition(|byte| *byte == b':');
    let (name, port) = port.and_then(|at| host.split_at_checked(at)).unwrap_or((host, b":80"));
    let is_port = (2..=6).contains(&port.len()) && port.iter().skip(1).all(u8::is_ascii_digit);
    is_port && !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

fn is_host(host: &HeaderValue) -> bool {
    host.to_str().is_ok_and(|host| !host.contains('@') && host.parse::<Authority>().is_ok())
}

/// Whether a request carries credentials, valid or not.
fn has_credentials<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let in_query = |query: &str| query.split('&').any(|pair| pair.starts_with("auth=") || pair.starts_with("token="));
    headers.contains_key(header::AUTHORIZATION)
        || headers.contains_key("x-auth")
        || request.uri().query().is_some_and(in_query)
}

/// A panicking request answers 500 and affects no other.
fn apologise(panicked: Box<dyn Any + Send>) -> Response {
    DefaultResponseForPanic::default().response_for_panic(panicked).map(Body::new)
}

/// The answer to a request without exactly one valid Host header. Closes the connection, since what follows may be a
/// smuggled request.
fn hostless() -> Response {
    let mut response = ApiError::bad_request("请求应当有且只有一个正确的 Host 头").into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The answer when too many anonymous requests of one address are in progress.
fn crowded() -> Response {
    let message = "您所在的网络未登录的连接太多，请稍后再试";
    let mut response = ApiError::new(ErrorKind::Unavailable, "too_many_connections", message).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}
