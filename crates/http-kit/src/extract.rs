//! Extractors that answer in the platform API's own error shape.

use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{Uri, header, request::Parts};
use kernel::ErrorKind;
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::timeout;

use crate::body::time_for_body;
use crate::drain::{STRANGERS_BYTES, lend};
use crate::{ApiError, ApiResult, BodyFault, fault};

/// A JSON body of a request or response. A request's must be declared as JSON, be UTF-8, and have exactly the fields of
/// `T` (which denies unknown ones).
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        if !is_json(request.headers()) {
            return Err(ApiError::new(
                ErrorKind::UnsupportedMediaType,
                "unsupported_media_type",
                "请求内容必须是 JSON（Content-Type: application/json）",
            ));
        }
        let (parts, body) = request.into_parts();
        let headers = parts.headers.clone();
        let (body, rest) = lend(body);
        let whole = timeout(time_for_body(&headers), Bytes::from_request(Request::from_parts(parts, body), state));
        let bytes = match whole.await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(rejection)) => {
                rest.drain(&headers, STRANGERS_BYTES).await;
                return Err(unreadable(&rejection));
            }
            Err(_) => return Err(too_slow()),
        };
        // serde accepts a list for an object by the order of its fields.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(ApiError::bad_request("请求内容应为 JSON 对象，不是数组"));
        }
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| ApiError::bad_request(explain(&error.path().to_string(), error.inner())))?;
        reader.end().map(|()| Json(value)).map_err(|error| ApiError::bad_request(explain("", &error)))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

fn is_json(headers: &http::HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn too_slow() -> ApiError {
    ApiError::new(ErrorKind::TimedOut, "request_timeout", "请求内容没有在限定时间内传完")
}

fn unreadable(rejection: &BytesRejection) -> ApiError {
    match BodyFault::of(rejection) {
        BodyFault::TooLarge => ApiError::new(ErrorKind::TooLarge, "payload_too_large", "请求内容过大"),
        BodyFault::Stalled => too_slow(),
        BodyFault::GivenUp => ApiError::new(ErrorKind::Unavailable, "stopping", "服务器正在停止，请稍后再试"),
        BodyFault::Broken => ApiError::bad_request("请求内容没有传完整"),
    }
}

/// Explains serde's error in Chinese.
fn explain(path: &str, error: &serde_json::Error) -> String {
    if error.is_syntax() || error.is_eof() {
        return format!("请求不是合法的 JSON（第 {} 行第 {} 列）", error.line(), error.column());
    }
    fault::explain(path, &error.to_string())
}

/// Nothing that we keep has a NUL in it, PostgreSQL refuses it, and SQLite ends a pattern there.
fn has_nul(encoded: &str) -> bool {
    encoded.contains("%00")
}

/// The query string as `T`.
#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> ApiResult<Self> {
        query_of(&parts.uri).map(Self)
    }
}

/// An address's query string as `T`.
pub(crate) fn query_of<T: DeserializeOwned>(uri: &Uri) -> ApiResult<T> {
    if has_nul(uri.query().unwrap_or_default()) {
        return Err(ApiError::bad_request("查询参数有误：不能有空字符"));
    }
    axum::extract::Query::try_from_uri(uri).map(|axum::extract::Query(query)| query).map_err(|rejection| {
        let text = rejection.body_text();
        let detail = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
        ApiError::bad_request(format!("查询参数有误。{}", fault::explain("", detail)))
    })
}

/// The path's parameters as `T`. A parameter of the wrong type answers 404.
#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        if has_nul(parts.uri.path()) {
            return Err(ApiError::not_found("请求的地址"));
        }
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(path)| Self(path))
            .map_err(|_| ApiError::not_found("请求的地址"))
    }
}
