//! Every request gets an id, a log line, and a count.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use tracing::Instrument;

use crate::{ClientAddress, TrustedProxies};

tokio::task_local! {
    static REQUEST_ID: RequestId;
}

/// Names one request in answers and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// A UUID of version 7. Its random part need not be a secret and comes without asking the
    /// kernel each time: a keyed hash of a number that never comes again.
    fn new() -> Self {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let halves = [0, 1].map(|half| KEY.hash_one((number, half)));
        let mut random = [0; 10];
        for (byte, hashed) in random.iter_mut().zip(halves.iter().flat_map(|half| half.to_le_bytes())) {
            *byte = hashed;
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let millis = u64::try_from(now.as_millis()).unwrap_or_default();
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().simple().to_string())
    }
}

/// The id of the request that this task serves; empty outside of one.
#[must_use]
pub fn current_request_id() -> String {
    REQUEST_ID.try_with(|id| id.0.clone()).unwrap_or_default()
}

/// Middleware around everything. The log line has the path but never the query, because tokens
/// may stand there.
pub async fn track(State(proxies): State<Arc<TrustedProxies>>, mut request: Request, next: Next) -> Response {
    let id = RequestId::new();
    let start = Instant::now();
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0);
    let client = ClientAddress::of(peer, request.headers(), &proxies);
    request.extensions_mut().insert(client);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let span = tracing::info_span!("request", request_id = %id.0);
    let header = HeaderValue::from_str(&id.0);

    let mut response = REQUEST_ID.scope(id, next.run(request).instrument(span.clone())).await;

    if let Ok(header) = header {
        response.headers_mut().insert("x-request-id", header);
    }
    let status = response.status().as_u16();
    let elapsed = start.elapsed();
    span.in_scope(|| {
        tracing::info!(
            http.method = %method,
            http.path = path,
            http.status = status,
            client.address = %client.0,
            duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "request served"
        );
    });
    count(&response, method.as_str(), elapsed);
    response
}

/// The matched route is the label, not the path: paths are without number.
fn count(response: &Response, method: &str, elapsed: std::time::Duration) {
    let route = response.extensions().get::<Route>().map_or_else(|| "other".to_owned(), |route| route.0.clone());
    let status = response.status().as_u16().to_string();
    let labels = [("method", method.to_owned()), ("route", route), ("status", status)];
    metrics::counter!("http_requests_total", &labels).increment(1);
    metrics::histogram!("http_request_duration_seconds", &labels[..2]).record(elapsed.as_secs_f64());
}

/// The route pattern that served a request.
#[derive(Clone, Debug)]
struct Route(String);

/// Middleware inside a router (as a route layer): notes the matched route on the answer.
pub async fn note_route(matched: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(path) = matched {
        response.extensions_mut().insert(Route(path.as_str().to_owned()));
    }
    response
}
