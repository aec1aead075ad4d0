//! Common parts of all calls.

use axum::extract::{FromRequestParts, OriginalUri};
use disk_core::jail::VirtualPath;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use utoipa::IntoParams;

use super::protocol::check_version;
use crate::host::Host;
use crate::http::{ErrorResponse, HttpResult, Member, Parameters, Target};

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UploadQuery {
    /// Replace a file that is there; without it that is 409. Said when the upload begins.
    #[serde(default)]
    #[param(required = false)]
    pub(super) r#override: bool,
    /// Which upload; without it the newest that this person has for this path.
    pub(super) upload: Option<String>,
}

/// A call without its body.
pub(super) struct Call {
    pub(super) host: Host,
    pub(super) member: Member,
    pub(super) path: VirtualPath,
    pub(super) query: UploadQuery,
    pub(super) headers: HeaderMap,
    /// The URL before `/api/tus`.
    base: String,
}

impl Call {
    /// The address of an upload to this path.
    pub(super) fn address(&self, path: &VirtualPath, id: &str) -> Option<HeaderValue> {
        HeaderValue::from_str(&format!("{}/api/tus{}?upload={id}", self.base, path.encoded())).ok()
    }
}

impl FromRequestParts<Host> for Call {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, host: &Host) -> HttpResult<Self> {
        check_version(&parts.headers)?;
        let member = Member::from_request_parts(parts, host).await?;
        let Target(path) = Target::from_request_parts(parts, host).await?;
        let Parameters(query) = Parameters::from_request_parts(parts, host).await?;
        let original = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0);
        let base = original.path().split_once("/api/tus").map_or("", |(base, _)| base).to_owned();
        Ok(Self { host: host.clone(), member, path, query, headers: parts.headers.clone(), base })
    }
}
