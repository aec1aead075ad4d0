//! The path and the parameters of a request.

use axum::extract::{FromRequestParts, Query};
use disk_core::error::DiskError;
use disk_core::jail::VirtualPath;
use disk_core::reason::Reason;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::{ErrorResponse, HttpResult};

/// The path after `/api/{feature}`.
#[derive(Clone, Debug)]
pub(crate) struct Target(pub(crate) VirtualPath);

impl<S: Send + Sync> FromRequestParts<S> for Target {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> HttpResult<Self> {
        let path = parts.uri.path();
        let feature = path.strip_prefix("/api/");
        // The slash after the feature belongs to the path, so a second one is an empty segment.
        let below = feature.and_then(|path| path.find('/').map(|slash| &path[slash..]));
        Ok(Self(VirtualPath::parse(below.unwrap_or("/"))?))
    }
}

/// The query string as this type; 400 when it can't be.
#[derive(Clone, Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> HttpResult<Self> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            // The reason would repeat the query, which may contain a token.
            Err(_) => Err(DiskError::bad_request(Reason::QueryMalformed).into()),
        }
    }
}

/// A parameter, still percent-encoded: the jail decodes paths in it, because lenient decoding would accept bytes that
/// are not UTF-8.
pub(crate) fn raw_parameter(query: Option<&str>, name: &str) -> Option<String> {
    let pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.into_iter().find(|(key, _)| *key == name)?;
    Some(value.replace('+', "%20"))
}
