//! The platform API's error: raised by code, and rendered as a response with a [`Problem`].

use std::borrow::Cow;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use kernel::{ErrorKind, Unexpected};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::current_request_id;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Suggested wait before retrying a request that failed because the database is away.
const RETRY_AWAY: Duration = Duration::from_secs(2);

/// A fault of one field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// The field's name in the request.
    pub name: String,
    /// For the person filling it in, in Chinese.
    pub message: String,
}

/// The body of every refused or failed call of the platform API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Stable word for programs, such as `username_taken`.
    pub code: String,
    /// Sentence for people, in Chinese.
    pub message: String,
    /// Fields at fault; empty when the fault is not in a field.
    pub fields: Vec<FieldProblem>,
    /// Names this request in the logs.
    pub request_id: String,
}

/// A refusal or failure on its way to the client.
#[derive(Debug)]
pub struct ApiError {
    kind: ErrorKind,
    code: &'static str,
    message: Cow<'static, str>,
    fields: Vec<FieldProblem>,
    retry_after: Option<Duration>,
    source: Option<Source>,
}

impl ApiError {
    /// An error of this kind. `code` is for programs, `message` for people, in Chinese.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, code, message: message.into(), fields: Vec::new(), retry_after: None, source: None }
    }

    /// 400.
    pub fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::BadRequest, "bad_request", message)
    }

    /// 403: for calls that no page of this role makes.
    #[must_use]
    pub fn forbidden() -> Self {
        Self::new(ErrorKind::Forbidden, "forbidden", "没有权限进行该操作")
    }

    /// 404, also for objects that this user may not see.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorKind::NotFound, "not_found", format!("{what}不存在"))
    }

    /// 409.
    pub fn conflict(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Conflict, code, message)
    }

    /// 422 with the fields at fault.
    #[must_use]
    pub fn invalid(fields: Vec<FieldProblem>) -> Self {
        let message = fields.first().map_or_else(|| "提交的内容有误".to_owned(), |field| field.message.clone());
        Self { fields, ..Self::new(ErrorKind::Invalid, "invalid", message) }
    }

    /// 422 for one field.
    pub fn field(name: &str, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldProblem { name: name.to_owned(), message: message.into() }])
    }

    /// 429 with the wait.
    #[must_use]
    pub fn too_many_requests(wait: Duration) -> Self {
        let seconds = retry_seconds(wait);
        let mut error =
            Self::new(ErrorKind::TooManyRequests, "too_many_requests", format!("操作过于频繁，请 {seconds} 秒后再试"));
        error.retry_after = Some(wait);
        error
    }

    /// 500. The cause goes to the log, never to the client.
    pub fn internal(source: impl Into<Source>) -> Self {
        let mut error = Self::new(ErrorKind::Internal, "internal", "服务器内部错误，请稍后再试");
        error.source = Some(source.into());
        error
    }

    /// 507. The cause goes to the log.
    fn full(source: impl Into<Source>) -> Self {
        let message = "服务器的磁盘已满，这次的改动没有保存。请联系管理员清理磁盘后再试";
        Self { source: Some(source.into()), ..Self::new(ErrorKind::Full, "disk_full", message) }
    }

    /// 503. The cause goes to the log.
    pub(crate) fn away(source: impl Into<Source>) -> Self {
        let message = "数据库暂时没有应答，请稍后再试";
        let mut error = Self::new(ErrorKind::Unavailable, "database_away", message);
        (error.retry_after, error.source) = (Some(RETRY_AWAY), Some(source.into()));
        error
    }

    /// Adds the field at fault.
    #[must_use]
    pub fn on_field(mut self, name: &str) -> Self {
        self.fields.push(FieldProblem { name: name.to_owned(), message: self.message.to_string() });
        self
    }

    /// Adds a field with a message of its own.
    #[must_use]
    pub fn with_field(mut self, field: FieldProblem) -> Self {
        self.fields.push(field);
        self
    }

    /// For a form that is a part of another: `server` at fault becomes `cards.server`.
    #[must_use]
    pub fn below(mut self, part: &str) -> Self {
        for field in &mut self.fields {
            field.name = format!("{part}.{}", field.name);
        }
        self
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The sentence for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The fields at fault.
    #[must_use]
    pub fn fields(&self) -> &[FieldProblem] {
        &self.fields
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

/// Whole seconds to wait, at least one.
fn retry_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// The HTTP status of a kind of failure.
#[must_use]
pub(crate) fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::TimedOut => StatusCode::REQUEST_TIMEOUT,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl<E: Unexpected> From<E> for ApiError {
    fn from(error: E) -> Self {
        if error.is_full() {
            Self::full(error)
        } else if error.is_away() {
            Self::away(error)
        } else {
            Self::internal(error)
        }
    }
}

/// The error, attached to the response for the operate log.
#[derive(Clone, Debug)]
pub struct Refusal(pub String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = status(self.kind);
        if let Some(source) = &self.source {
            tracing::error!(error = %chain(source.as_ref()), error.code = self.code, "request failed");
        }
        let problem = Problem {
            code: self.code.to_owned(),
            message: self.message.into_owned(),
            fields: self.fields,
            request_id: current_request_id(),
        };
        let refusal = Refusal(problem.message.clone());
        let mut response = (status, axum::Json(problem)).into_response();
        response.extensions_mut().insert(refusal);
        if let Some(wait) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_seconds(wait)));
        }
        response
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
