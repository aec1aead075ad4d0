//! Requests to an engine. bollard makes most of them and sends them through here; the others are made by hand.
//!
//! Each request has its own connection: no stale connection is left after an engine restarts, dropping a response
//! cancels the work behind it, and a terminal can take the connection over.

use std::io;
use std::sync::RwLock;
use std::time::Duration;

use bollard::BollardRequest;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use kernel::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::error;
use crate::docker::address::EngineAddress;
use crate::{Error, Result};

/// An engine that does not take a connection within this time is unreachable.
const CONNECT: Duration = Duration::from_secs(3);
/// The newest version of the API that is supported. 1.52 changes the shape of disk usage.
const NEWEST: ApiVersion = ApiVersion(1, 51);
/// No answer that is read whole is longer.
const ANSWER_BYTES: usize = 64 << 20;
const REGISTRY_AUTH: &str = "x-registry-auth";

/// A client's connections to one engine.
#[derive(Debug)]
pub(super) struct Link {
    endpoint: EngineAddress,
    /// Agreed upon with the engine before the first request.
    version: RwLock<Option<ApiVersion>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ApiVersion(u16, u16);

impl Link {
    pub(super) fn new(endpoint: EngineAddress) -> Self {
        Self { endpoint, version: RwLock::new(None) }
    }

    /// Sends a bollard request with the API version added to its path: bollard 0.21 leaves the version out, and engines
    /// are going to refuse such requests.
    pub(super) async fn send(&self, mut request: BollardRequest) -> io::Result<Response<Incoming>> {
        let version = self.version().await?;
        let path = request.uri().path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        *request.uri_mut() = format!("/v{version}{path}").parse().map_err(io::Error::other)?;
        if let Some(auth) = request.headers_mut().get_mut(REGISTRY_AUTH) {
            url_safe(auth);
        }
        self.exchange(request).await
    }

    /// The version that is spoken, as in `1.41`.
    pub(super) async fn api_version(&self) -> io::Result<String> {
        Ok(self.version().await?.to_string())
    }

    /// When the first of the connection's certificates ends.
    pub(super) fn certificate_end(&self) -> Option<Timestamp> {
        self.endpoint.certificate_end()
    }

    /// Forgets the version, so that the next request queries an engine that may have been upgraded.
    pub(super) fn forget_version(&self) {
        *self.version.write().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    /// Reads a JSON answer.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, limit: Duration) -> Result<T> {
        let reading = async { read(self.send(request(Method::GET, path, Bytes::new())?).await?).await };
        let bytes =
            timeout(limit, reading).await.map_err(|_| error::silent(limit))?.map_err(|error| unreachable(&error))??;
        serde_json::from_slice(&bytes).map_err(|error| Error::Failed(format!("the engine's answer: {error}")))
    }

    /// Sends a JSON body and takes the connection over.
    pub(super) async fn upgrade(&self, path: &str, body: Bytes, limit: Duration) -> Result<TokioIo<Upgraded>> {
        let upgrading = async {
            let mut request = request(Method::POST, path, body)?;
            request.headers_mut().insert(CONNECTION, HeaderValue::from_static("Upgrade"));
            request.headers_mut().insert(UPGRADE, HeaderValue::from_static("tcp"));
            let answer = self.send(request).await?;
            if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
                let refused = |_| Error::Failed("the engine did not hand the connection over".to_owned());
                return Ok(read(answer).await?.and_then(|bytes| Err(refused(bytes))));
            }
            Ok(Ok(TokioIo::new(hyper::upgrade::on(answer).await.map_err(io::Error::other)?)))
        };
        timeout(limit, upgrading).await.map_err(|_| error::silent(limit))?.map_err(|error| unreachable(&error))?
    }

    /// Sends a request and hands the answer over as soon as it begins, once it is no refusal.
    pub(super) async fn open(&self, request: BollardRequest) -> Result<Response<Incoming>> {
        let answer = self.send(request).await.map_err(|error| unreachable(&error))?;
        if answer.status().is_success() { Ok(answer) } else { Err(refusal(answer).await) }
    }

    async fn version(&self) -> io::Result<ApiVersion> {
        let known = *self.version.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = known {
            return Ok(known);
        }
        // Without a version, which every engine accepts.
        let answer = self.exchange(request(Method::GET, "/version", Bytes::new())?).await?;
        let bytes = read(answer).await?.map_err(io::Error::other)?;
        let speaks: Speaks = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        let agreed = speaks.agree().ok_or_else(|| io::Error::other("the engine names no version of its API"))?;
        *self.version.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(agreed);
        Ok(agreed)
    }

    async fn exchange(&self, mut request: BollardRequest) -> io::Result<Response<Incoming>> {
        request.headers_mut().insert(HOST, HeaderValue::from_static("engine"));
        let connecting = timeout(CONNECT, self.endpoint.connect()).await;
        let stream = connecting.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "no connection within 3 s"))??;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // Ends with the response: when it is read or dropped, or the connection is taken over.
        tokio::spawn(connection.with_upgrades());
        sender.send_request(request).await.map_err(io::Error::other)
    }
}

/// The API versions in the answer to `/version`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Speaks {
    api_version: String,
    #[serde(rename = "MinAPIVersion", default)]
    min_api_version: String,
}

impl Speaks {
    /// The newest version that both support; the engine's oldest when that is newer than ours.
    fn agree(&self) -> Option<ApiVersion> {
        let newest = ApiVersion::parse(&self.api_version)?;
        let oldest = ApiVersion::parse(&self.min_api_version).unwrap_or(ApiVersion(1, 0));
        Some(newest.min(NEWEST).max(oldest))
    }
}

impl ApiVersion {
    fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self(major.parse().ok()?, minor.parse().ok()?))
    }
}

impl std::fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// A request with a JSON body.
fn request(method: Method, path: &str, body: Bytes) -> io::Result<BollardRequest> {
    let builder = Request::builder().method(method).uri(path).header(CONTENT_TYPE, "application/json");
    builder.body(bollard::body_full(body)).map_err(io::Error::other)
}

/// The whole answer, or the engine's refusal.
async fn read(answer: Response<Incoming>) -> io::Result<Result<Bytes>> {
    if !answer.status().is_success() {
        return Ok(Err(refusal(answer).await));
    }
    let body = Limited::new(answer.into_body(), ANSWER_BYTES).collect().await.map_err(io::Error::other)?;
    Ok(Ok(body.to_bytes()))
}

async fn refusal(answer: Response<Incoming>) -> Error {
    #[derive(Deserialize)]
    struct Refusal {
        message: String,
    }
    let status = answer.status().as_u16();
    match Limited::new(answer.into_body(), ANSWER_BYTES).collect().await {
        Ok(body) => {
            let bytes = body.to_bytes();
            let words = serde_json::from_slice(&bytes).map(|refusal: Refusal| refusal.message);
            error::by_status(status, words.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned()))
        }
        Err(error) => Error::Unreachable(error.to_string()),
    }
}

pub(super) fn unreachable(error: &io::Error) -> Error {
    Error::Unreachable(error::chain(error))
}

/// Rewrites credentials: engines expect URL-safe base64 in this header and treat unreadable ones as none; bollard 0.21
/// writes plain base64.
fn url_safe(auth: &mut HeaderValue) {
    let safe: String = auth.to_str().unwrap_or_default().replace('+', "-").replace('/', "_");
    if let Ok(safe) = HeaderValue::try_from(safe) {
        *auth = safe;
        auth.set_sensitive(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(newest: &str, oldest: &str) -> Option<String> {
        let speaks = Speaks { api_version: newest.to_owned(), min_api_version: oldest.to_owned() };
        speaks.agree().map(|version| version.to_string())
    }

    #[test]
    fn the_newest_version_that_both_know() {
        assert_eq!(agreed("1.41", "1.12").as_deref(), Some("1.41"));
        assert_eq!(agreed("1.54", "1.44").as_deref(), Some("1.51"));
        assert_eq!(agreed("1.60", "1.52").as_deref(), Some("1.52"));
        assert_eq!(agreed("1.9", "").as_deref(), Some("1.9"));
        assert_eq!(agreed("", ""), None);
    }

    #[test]
    fn credentials_are_url_safe() {
        let mut header = HeaderValue::from_static("a+b/c=");
        url_safe(&mut header);
        assert_eq!(header.to_str().unwrap(), "a-b_c=");
        assert!(header.is_sensitive());
    }
}
