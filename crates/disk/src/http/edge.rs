//! Response headers for browsers around every call. CORS decides which other origins' pages may use the disk; tokens
//! come in headers that a page sets itself, so no credentials of the browser are involved.
//!
//! All of this is one function around the router: each layer inside of it costs every request several allocations.

use axum::extract::{OriginalUri, Request};
use axum::response::{IntoResponse, Response};
use disk_core::error::DiskError;
use http::{HeaderValue, Method, StatusCode, header};

use super::ErrorResponse;

const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE";
/// Request headers of pages and tus clients.
const REQUEST_HEADERS: &str = "Authorization, X-Auth, Accept, Content-Type, Range, If-Match, If-None-Match, If-Range, If-Modified-Since, \
     If-Unmodified-Since, Prefer, X-Modified, X-Request-Id, X-Share-Password, X-HTTP-Method-Override, Tus-Resumable, \
     Upload-Length, Upload-Offset, Upload-Metadata, Upload-Checksum, Upload-Defer-Length, Upload-Concat";
/// Response headers that they may read, besides those that browsers always allow.
const ANSWER_HEADERS: &str = "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, Disk-Reason, ETag, Last-Modified, Location, \
     Preference-Applied, Retry-After, Sunset, X-Renew-Token, X-Request-Id, Tus-Resumable, Tus-Version, Tus-Extension, \
     Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Expires";
/// Two hours, the longest that browsers keep a permission.
const MAX_AGE: &str = "7200";

/// Answers preflights, and marks responses that pages of these origins may read. Pages of other origins get no
/// permission, which their browser reports. Other uses of `OPTIONS` pass through. Disables content sniffing and the
/// referrer, since a URL may contain a token.
pub(crate) async fn edge<F>(origins: &[String], request: Request, answer: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let origin = request.headers().get(header::ORIGIN).cloned();
    let known = origin.filter(|origin| origins.iter().any(|known| known.as_bytes() == origin.as_bytes()));
    let asks_first = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let preflight = known.is_some() && asks_first && request.method() == Method::OPTIONS;
    let mut response = if preflight {
        StatusCode::NO_CONTENT.into_response()
    } else if lost_a_slash(&request) {
        ErrorResponse::from(DiskError::NotFound).into_response()
    } else {
        answer(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = known else { return response };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if preflight {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    } else {
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(ANSWER_HEADERS));
    }
    response
}

/// Whether the URL has one more slash after the disk's mount point, which axum's `nest_service` drops.
fn lost_a_slash(request: &Request) -> bool {
    let Some(OriginalUri(whole)) = request.extensions().get() else { return false };
    whole.path().strip_suffix(request.uri().path()).is_some_and(|base| base.ends_with('/'))
}
