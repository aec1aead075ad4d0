//! Every request gets an id, a log line, and a count.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::ops::Range;
use std::pin::pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::{Extensions, HeaderValue, Method, StatusCode};
use metrics::{Counter, Histogram, Label};
use tracing::Instrument;

use crate::TrustedProxies;
use crate::client::{ClientAddress, SecureAtProxy};

tokio::task_local! {
    static TRACKED: Tracked;
}

/// Facts about the request that a task serves.
struct Tracked {
    id: RequestId,
    /// Set once the route is known.
    route: OnceCell<Route>,
}

/// The pattern of the paths that a request's path is one of.
enum Route {
    Matched(MatchedPath),
    Named(&'static str),
}

impl Route {
    fn as_str(&self) -> &str {
        match self {
            Self::Matched(path) => path.as_str(),
            Self::Named(name) => name,
        }
    }
}

/// Identifies a request in responses and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// Makes a UUID of version 7. Its random part need not be secret and is made without a system call: a keyed hash of
    /// a number that is never reused.
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

/// The id of the request that this task serves; empty outside of requests.
#[must_use]
pub fn current_request_id() -> String {
    TRACKED.try_with(|tracked| tracked.id.0.clone()).unwrap_or_default()
}

/// Wraps the handling of a request from this peer; `None` where there is no connection. The log line has the path but
/// never the query, which may contain tokens.
pub async fn track<F>(
    proxies: &TrustedProxies,
    peer: Option<SocketAddr>,
    mut request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let id = RequestId::new();
    let start = Instant::now();
    let client = ClientAddress::of(peer, request.headers(), proxies);
    let secure = proxies.say_secure(peer, request.headers());
    request.extensions_mut().insert(client);
    if secure {
        request.extensions_mut().insert(SecureAtProxy);
    }
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let span = tracing::info_span!("request", request_id = %id.0);
    let header = HeaderValue::from_str(&id.0);

    let tracked = Tracked { id, route: OnceCell::new() };
    let mut answering = pin!(TRACKED.scope(tracked, answer(request).instrument(span.clone())));
    let mut response = answering.as_mut().await;
    let route = answering.take_value().and_then(|tracked| tracked.route.into_inner());

    if let Ok(header) = header {
        response.headers_mut().insert("x-request-id", header);
    }
    let elapsed = start.elapsed();
    span.in_scope(|| {
        tracing::info!(
            http.method = %method,
            http.path = %shown(uri.path()),
            http.status = response.status().as_u16(),
            client.address = %client.0,
            duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "request served"
        );
    });
    count(&method, route.as_ref().map_or("other", Route::as_str), response.status(), elapsed);
    response
}

/// A path for the log. The secret of a share is as good as a password.
fn shown(path: &str) -> Cow<'_, str> {
    match secret_in(path) {
        Some(secret) => {
            let mut shown = path.to_owned();
            shown.replace_range(secret, "***");
            Cow::Owned(shown)
        }
        None => Cow::Borrowed(path),
    }
}

/// Where the secret of a share is in this path: of the API, wherever it is mounted, or of the page, which clients of
/// File Browser look for below the disk's mount point.
fn secret_in(path: &str) -> Option<Range<usize>> {
    const CALLS: [&str; 4] = ["public/share/", "public/dl/", "public/collect/", "share/"];
    const API: &str = "/api/";
    let below_api = || {
        let apis = memchr::memmem::find_iter(path.as_bytes(), API).map(|at| at + API.len());
        apis.filter_map(|at| path.get(at..)).find_map(|rest| CALLS.iter().find_map(|call| rest.strip_prefix(call)))
    };
    let page = path.strip_prefix("/disk").unwrap_or(path).strip_prefix("/share/");
    let secret = page.or_else(below_api)?;
    let at = path.len() - secret.len();
    let length = secret.find('/').unwrap_or(secret.len());
    (length > 0).then_some(at..at + length)
}

/// Notes the route that a request took, the pattern and not the path: paths are without number.
/// For middleware inside a router.
pub fn note_route(extensions: &Extensions) {
    if let Some(route) = extensions.get::<MatchedPath>() {
        let _ = TRACKED.try_with(|tracked| tracked.route.set(Route::Matched(route.clone())));
    }
}

/// The same for a request that goes past the router.
pub fn note_route_as(route: &'static str) {
    let _ = TRACKED.try_with(|tracked| tracked.route.set(Route::Named(route)));
}

fn count(method: &Method, route: &str, status: StatusCode, elapsed: Duration) {
    thread_local! {
        /// Cached by route, because looking them up by their labels costs several allocations per request.
        static METERS: RefCell<HashMap<String, Vec<Meters>>> = RefCell::default();
    }
    let method = known(method);
    METERS.with_borrow_mut(|routes| {
        let all = match routes.get_mut(route) {
            Some(all) => all,
            None => routes.entry(route.to_owned()).or_default(),
        };
        if let Some(meters) = all.iter().find(|meters| (meters.method, meters.status) == (method, status)) {
            return meters.count(elapsed);
        }
        let meters = Meters::new(method, route, status);
        meters.count(elapsed);
        all.push(meters);
    });
}

/// The metrics of the requests with one method, route and status.
struct Meters {
    method: &'static str,
    status: StatusCode,
    requests: Counter,
    seconds: Histogram,
}

impl Meters {
    fn new(method: &'static str, route: &str, status: StatusCode) -> Self {
        let labels = [
            Label::from_static_parts("method", method),
            Label::new("route", route.to_owned()),
            Label::new("status", status.as_str().to_owned()),
        ];
        let requests = metrics::counter!("http_requests_total", labels.iter());
        let seconds = metrics::histogram!("http_request_duration_seconds", labels[..2].iter());
        Self { method, status, requests, seconds }
    }

    fn count(&self, elapsed: Duration) {
        self.requests.increment(1);
        self.seconds.record(elapsed.as_secs_f64());
    }
}

/// Clients may make up verbs, and each label is kept for ever.
fn known(method: &Method) -> &'static str {
    const KNOWN: [&str; 14] = [
        "GET",
        "HEAD",
        "OPTIONS",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "COPY",
        "LOCK",
        "MKCOL",
        "MOVE",
        "PROPFIND",
        "PROPPATCH",
        "UNLOCK",
    ];
    KNOWN.into_iter().find(|known| method.as_str() == *known).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn secrets_of_shares_are_not_shown_and_other_paths_are() {
        let table = [
            ("/share/AbC", "/share/***"),
            ("/share/AbC/a/b", "/share/***/a/b"),
            ("/disk/share/AbC", "/disk/share/***"),
            ("/disk/api/share/AbC", "/disk/api/share/***"),
            ("/api/public/share/AbC/a", "/api/public/share/***/a"),
            ("/storage/disk/api/public/dl/AbC", "/storage/disk/api/public/dl/***"),
            ("/disk/api/public/collect/AbC/a.txt", "/disk/api/public/collect/***/a.txt"),
            ("/disk//api/public/dl/AbC/share/x", "/disk//api/public/dl/***/share/x"),
            ("/api//api/share/AbC", "/api//api/share/***"),
            ("/disk/api/share/", "/disk/api/share/"),
            ("/disk/api/raw/share/a.txt", "/disk/api/raw/share/a.txt"),
            ("/disk/dav/share/a.txt", "/disk/dav/share/a.txt"),
            ("/disk/api/shares", "/disk/api/shares"),
        ];
        for (path, expected) in table {
            assert_eq!(shown(path), expected);
        }
    }
}
