//! JSON request bodies: parsing, and merging into present values.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::{Reason, Why};
use http::HeaderMap;
use http_kit::time_for_body;
use kernel::difference;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

use super::{ErrorResponse, HttpResult, STRANGERS_BYTES, announced, body_error, drain};

/// Settings with hundreds of rules are a fraction of this.
const MOST_BYTES: usize = 1024 * 1024;
/// Thousands of paths to be packed.
const MOST_PLAIN_BYTES: usize = 2 * 1024 * 1024;
/// Characters of a name that is repeated in a refusal.
const NAME_SHOWN: usize = 40;

/// A JSON body. Its `Content-Type` is ignored, as clients of this API send any; this does not help pages of another
/// origin, because they cannot send a token.
#[derive(Clone, Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _state: &S) -> HttpResult<Self> {
        Ok(Self(parse(&small(request, MOST_BYTES).await?)?))
    }
}

/// A body that is read as a whole.
#[derive(Clone, Debug)]
pub(crate) struct SmallBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for SmallBody {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _state: &S) -> HttpResult<Self> {
        Ok(Self(small(request, MOST_PLAIN_BYTES).await?))
    }
}

async fn small(request: Request, most: usize) -> DiskResult<Bytes> {
    let (parts, body) = request.into_parts();
    if announced(&parts.headers).is_some_and(|length| length > most as u64) {
        drain(&parts.headers, body, STRANGERS_BYTES).await;
        return Err(DiskError::TooLarge);
    }
    whole(&parts.headers, body, most).await
}

/// Reads a body of at most `most` bytes in the total time that a small body has.
pub(crate) async fn whole(headers: &HeaderMap, body: Body, most: usize) -> DiskResult<Bytes> {
    let whole = timeout(time_for_body(headers), to_bytes(body, most));
    whole.await.map_err(|_| DiskError::TimedOut)?.map_err(|error| body_error(&error))
}

/// An object.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> DiskResult<T> {
    // serde accepts a list for an object by the order of its fields.
    if text.trim_ascii_start().starts_with(b"[") {
        return Err(DiskError::bad_request(Reason::JsonNoObject));
    }
    // The reason would repeat the body, which may contain a password.
    serde_json::from_slice(text).map_err(|_| DiskError::bad_request(Reason::JsonMalformed))
}

/// Merges `over` into `base`: objects member by member, anything else as a whole. 400 for an unknown member.
pub(crate) fn overlay(base: &mut Value, over: Value) -> DiskResult<()> {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (name, value) in over {
                let member = base.get_mut(&name).ok_or_else(|| unknown_field(&name))?;
                overlay(member, value)?;
            }
        }
        // Programs in Go write an empty list so.
        (base @ Value::Array(_), Value::Null) => *base = Value::Array(Vec::new()),
        (base, over) => *base = over,
    }
    Ok(())
}

/// The difference made by a change, for the log.
pub(crate) fn changes(before: &impl Serialize, after: &impl Serialize) -> DiskResult<String> {
    let value = |part: Result<Value, serde_json::Error>| part.map_err(DiskError::internal);
    let (before, after) = (value(serde_json::to_value(before))?, value(serde_json::to_value(after))?);
    // The disk keeps no secrets there.
    Ok(difference(&before, &after, |_| false))
}

/// 400 with the field's name, shortened.
pub(crate) fn unknown_field(name: &str) -> DiskError {
    let shown: String = name.chars().take(NAME_SHOWN).collect();
    DiskError::bad_request(Why::told(Reason::FieldUnknown, format!("unknown field {shown:?}")))
}
