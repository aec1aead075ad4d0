//! Refusals as responses: a status and one line of text, as clients of File Browser's API expect them, and the code of
//! the reason in a header.

use axum::response::{IntoResponse, Response};
use disk_core::error::DiskError;
use disk_core::reason::Reason;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_kit::BodyFault;

/// The header of a refusal that has the code of its reason.
pub(crate) const REASON_HEADER: HeaderName = HeaderName::from_static("disk-reason");

/// The response to a request that is refused or fails.
#[derive(Debug)]
pub(crate) struct ErrorResponse(DiskError);

/// What handlers and extractors return.
pub(crate) type HttpResult<T> = Result<T, ErrorResponse>;

impl<E> From<E> for ErrorResponse
where
    DiskError: From<E>,
{
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = status_of(&error);
        if let DiskError::Internal(source) | DiskError::Unavailable(source) = &error {
            tracing::error!(error = format!("{source:#}"), http.status = status.as_u16(), "disk request failed");
        }
        let mut response = (status, line(&error)).into_response();
        let headers = response.headers_mut();
        if let Some(reason) = error.reason() {
            headers.insert(REASON_HEADER, HeaderValue::from_static(reason.code()));
        }
        match error {
            DiskError::Unauthorized(_) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            DiskError::TooManyRequests(wait) => {
                // Rounded up to whole seconds: a client that waits as long is not refused again.
                headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
            }
            DiskError::RangeNotSatisfiable(size) => {
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                    headers.insert(header::CONTENT_RANGE, value);
                }
            }
            _ => {}
        }
        response
    }
}

/// The status of a refusal.
pub(crate) fn status_of(error: &DiskError) -> StatusCode {
    match error {
        DiskError::BadRequest(_) => StatusCode::BAD_REQUEST,
        DiskError::Unauthorized(_) => StatusCode::UNAUTHORIZED,
        DiskError::Forbidden => StatusCode::FORBIDDEN,
        DiskError::NotFound => StatusCode::NOT_FOUND,
        DiskError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        DiskError::TimedOut => StatusCode::REQUEST_TIMEOUT,
        DiskError::Conflict(_) => StatusCode::CONFLICT,
        DiskError::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        DiskError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        DiskError::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        DiskError::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
        DiskError::ChecksumMismatch => checksum_mismatch(),
        DiskError::RangeNotSatisfiable(_) => StatusCode::RANGE_NOT_SATISFIABLE,
        DiskError::Busy | DiskError::Locked => StatusCode::LOCKED,
        DiskError::BadGateway(_) => StatusCode::BAD_GATEWAY,
        DiskError::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
        DiskError::InsufficientStorage(_) => StatusCode::INSUFFICIENT_STORAGE,
        DiskError::Unavailable(_) | DiskError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        DiskError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// 460, which is defined by tus only.
fn checksum_mismatch() -> StatusCode {
    StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST)
}

/// The line for the client, with the reason in parentheses.
fn line(error: &DiskError) -> String {
    let text = match error {
        DiskError::BadRequest(why) | DiskError::Conflict(why) => Some(why.text()),
        other => other.reason().map(Reason::text),
    };
    status_line(status_of(error), text)
}

/// The text for the client.
pub(crate) fn told(error: &DiskError) -> String {
    line(error).trim_end().to_owned()
}

/// `404 Not Found\n`, the shape of every answer that carries no data.
pub(crate) fn status_line(status: StatusCode, reason: Option<&str>) -> String {
    let words = status.canonical_reason().unwrap_or("Checksum Mismatch");
    match reason {
        Some(reason) => format!("{} {words} ({reason})\n", status.as_u16()),
        None => format!("{} {words}\n", status.as_u16()),
    }
}

/// `200 OK\n`.
pub(crate) fn done() -> Response {
    status_line(StatusCode::OK, None).into_response()
}

/// Why a body could not be received.
pub(crate) fn body_fault(fault: BodyFault) -> DiskError {
    match fault {
        BodyFault::TooLarge => DiskError::TooLarge,
        BodyFault::Stalled => DiskError::TimedOut,
        BodyFault::GivenUp => DiskError::Stopping,
        BodyFault::Broken => DiskError::bad_request(Reason::BodyEnded),
    }
}

/// The same for the error of reading it.
pub(crate) fn body_error(error: &axum::Error) -> DiskError {
    body_fault(BodyFault::of(error))
}
