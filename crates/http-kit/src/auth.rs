//! Authentication: extracts the token of a request and verifies it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::Write;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::{FromRef, FromRequestParts, OriginalUri};
use http::{Extensions, HeaderMap, Method, header, request::Parts};
use kernel::scope::ACCESS_TOKEN_PREFIX;
use kernel::{Actor, ErrorKind, Unexpected, token::TokenError};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use crate::serve::Guest;
use crate::{ApiError, ApiResult, ClientAddress, Throttle, network_of};

/// A token and the request that it authenticates (a ticket is valid for one path and method only).
#[derive(Clone, Debug)]
pub struct Credential<'a> {
    /// A login token, a ticket, or an access token.
    pub token: &'a str,
    /// The request's verb.
    pub method: &'a Method,
    /// The request's path as the client sent it, percent-encoded, without the query.
    pub path: &'a str,
    /// The client's address.
    pub client: IpAddr,
    /// Whether the request opens a WebSocket, which a ticket may do only once.
    pub opens_socket: bool,
}

impl Credential<'_> {
    /// The digest of an access token ([`secret_digest`]); `None` for tokens of other kinds.
    #[must_use]
    pub fn access_token_digest(&self) -> Option<String> {
        self.token.starts_with(ACCESS_TOKEN_PREFIX).then(|| secret_digest(self.token))
    }
}

/// Why a request is not authenticated.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The request has no token.
    #[error("no token")]
    Missing,
    /// The token itself is bad.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The token is genuine, but its session has ended, or the ticket is for another request or already used.
    #[error("session ended")]
    Ended,
    /// The access token does not exist, or was revoked.
    #[error("access token not accepted")]
    AccessToken,
    /// The access token's scopes do not cover the request.
    #[error("out of the access token's scopes")]
    OutOfScope,
    /// Too many wrong access tokens from this address; the wait until the next try.
    #[error("too many wrong tokens")]
    TooMany(Duration),
    /// The account is switched off.
    #[error("account disabled")]
    Disabled,
    /// It could not be checked.
    #[error("session check failed")]
    Unavailable {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
        /// Whether it is because the database does not answer.
        away: bool,
    },
}

impl AuthError {
    /// It could not be checked.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable { source: source.into(), away: false }
    }

    /// The database failed.
    pub fn of_database(error: impl Unexpected) -> Self {
        let away = error.is_away();
        Self::Unavailable { source: Box::new(error), away }
    }
}

/// Checks tokens: the portal against its own sessions, the disk by asking the portal.
#[async_trait]
pub trait Authenticate: Send + Sync {
    /// Authenticates a request.
    ///
    /// # Errors
    /// [`AuthError`] has the reason of a refusal.
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError>;

    /// Authenticates a program, which cannot sign in like a browser, by a username and the digest of an app password
    /// ([`secret_digest`]).
    ///
    /// # Errors
    /// [`TokenError::Rejected`] when there is no such password of this user; [`AuthError`] for other failures.
    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError>;

    /// Returns the sign-in of an actor's session.
    ///
    /// # Errors
    /// [`AuthError::Ended`] when it has ended meanwhile; [`AuthError`] for other failures.
    async fn sign_in(&self, actor: &Actor) -> Result<SignIn, AuthError> {
        Ok(SignIn { id: actor.session.clone(), actor: actor.clone() })
    }

    /// Returns the actor with the current role; without expiring sign-ins, the actor unchanged.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when this cannot be checked; any other error means that the sign-in has ended.
    async fn still(&self, sign_in: &SignIn) -> Result<Actor, AuthError> {
        Ok(sign_in.actor.clone())
    }
}

/// A sign-in, for connections that stay open: it survives renewals of the session, and ends with its last session.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// Its identifier for the checker.
    pub id: String,
    /// The user at the time of the connection.
    pub actor: Actor,
}

/// The stored form of an app password or access token: its SHA-256 in hexadecimal digits.
#[must_use]
pub fn secret_digest(secret: &str) -> String {
    Sha256::digest(secret).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Wrong access tokens from one network ([`network_of`]) in a minute. Tokens cannot be guessed; the limit is for programs that keep
/// using one that was revoked.
const WRONG_PER_MINUTE: NonZeroU32 = match NonZeroU32::new(60) {
    Some(tries) => tries,
    None => NonZeroU32::MIN,
};

/// Counts wrong access tokens. A correct one is never held back, so wrong attempts cannot lock its owner out.
#[derive(Debug)]
pub struct WrongTokens(Throttle<IpAddr>);

impl Default for WrongTokens {
    fn default() -> Self {
        Self(Throttle::per_minute(WRONG_PER_MINUTE))
    }
}

impl WrongTokens {
    /// Counts the result of an access token's check, if the token was wrong.
    ///
    /// # Errors
    /// As before, or [`AuthError::TooMany`].
    pub fn count(&self, client: IpAddr, checked: Result<Actor, AuthError>) -> Result<Actor, AuthError> {
        if matches!(checked, Err(AuthError::Token(_))) {
            self.0.check(&network_of(client)).map_err(AuthError::TooMany)?;
        }
        checked
    }
}

/// Extracts the token from the headers or from one of these query parameters, has it verified, and checks that its
/// scopes cover the request. An access token in the query is ignored: it lives long, and URLs are logged.
///
/// `area` is the prefix of the caller's routes in the table of scopes: empty for the platform, `/disk` for the disk,
/// which a storage host serves under other paths too.
///
/// # Errors
/// [`AuthError::Missing`] without a token, [`AuthError::AccessToken`], [`AuthError::OutOfScope`], otherwise the
/// checker's error.
pub async fn authenticate(
    checker: &dyn Authenticate,
    parts: &Parts,
    query_parameters: &[&str],
    area: &str,
) -> Result<Actor, AuthError> {
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0);
    let from_query = || {
        let found = query_parameters.iter().find_map(|name| token_in_query(uri.query()?, name));
        found.filter(|token| !token.starts_with(ACCESS_TOKEN_PREFIX)).map(Cow::from)
    };
    let token = token_in_headers(&parts.headers).map(Cow::from).or_else(from_query).ok_or(AuthError::Missing)?;
    let (method, path, client) = (&parts.method, uri.path(), ClientAddress::of_request(parts).0);
    let opens_socket = parts.headers.contains_key(header::UPGRADE);
    let checked = checker.authenticate(Credential { token: &token, method, path, client, opens_socket }).await;
    let actor = checked.map_err(|error| match error {
        AuthError::Token(_) | AuthError::Ended if token.starts_with(ACCESS_TOKEN_PREFIX) => AuthError::AccessToken,
        other => other,
    })?;
    note_sign_in(&parts.extensions);
    match &actor.token {
        // `parts.uri` is the rest below the mount point.
        Some(token) if !token.opens(method.as_str(), &format!("{area}{}", parts.uri.path())) => {
            Err(AuthError::OutOfScope)
        }
        _ => Ok(actor),
    }
}

/// Marks the request's connection as authenticated, so that it no longer counts against the guest limits.
pub fn note_sign_in(extensions: &Extensions) {
    if let Some(guest) = extensions.get::<Guest>() {
        guest.signed_in();
    }
}

fn token_in_headers(headers: &HeaderMap) -> Option<&str> {
    let bearer = || {
        let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    };
    bearer().or_else(|| headers.get("x-auth")?.to_str().ok()).filter(|token| !token.is_empty())
}

fn token_in_query(query: &str, name: &str) -> Option<String> {
    let value = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name)?.1;
    percent_decode_str(value).decode_utf8().ok().map(Cow::into_owned).filter(|token| !token.is_empty())
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let unauthorized = |message| Self::new(ErrorKind::Unauthorized, "unauthorized", message);
        match error {
            AuthError::Missing => unauthorized("请先登录"),
            AuthError::Token(TokenError::Malformed) => {
                Self::new(ErrorKind::Unauthorized, "token_malformed", "token malformed")
            }
            AuthError::Token(TokenError::Expired | TokenError::Rejected) | AuthError::Ended => {
                unauthorized("登录已失效，请重新登录")
            }
            AuthError::AccessToken => unauthorized("访问令牌无效、已到期或已撤销"),
            AuthError::OutOfScope => Self::new(ErrorKind::Forbidden, "token_scope", "访问令牌的权限不包括这个操作"),
            AuthError::TooMany(wait) => Self::too_many_requests(wait),
            AuthError::Disabled => Self::new(ErrorKind::Forbidden, "account_disabled", "账号已禁用，请联系管理员"),
            AuthError::Unavailable { source, away: true } => Self::away(source),
            AuthError::Unavailable { source, away: false } => Self::internal(source),
        }
    }
}

/// The authenticated actor, for middleware that inspects the response. Put one into the request's extensions and
/// [`SignedIn`] fills it.
#[derive(Clone, Debug, Default)]
pub struct ActorSlot(pub Arc<OnceLock<Actor>>);

/// A signed-in person. Handlers of the platform API take this or [`Administrator`]; a handler
/// with neither is public.
#[derive(Clone, Debug)]
pub struct SignedIn(pub Actor);

impl<S> FromRequestParts<S> for SignedIn
where
    S: Send + Sync,
    Arc<dyn Authenticate>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let slot = parts.extensions.get::<ActorSlot>().map(|ActorSlot(slot)| Arc::clone(slot));
        // A second extractor in the same handler reuses the result: a WebSocket ticket can be spent only once.
        if let Some(actor) = slot.as_ref().and_then(|slot| slot.get()) {
            return Ok(Self(actor.clone()));
        }
        let checker = Arc::<dyn Authenticate>::from_ref(state);
        // Only websockets may carry the token in the address: browsers can't set headers there.
        let in_query: &[&str] = if parts.headers.contains_key(header::UPGRADE) { &["token", "auth"] } else { &[] };
        let actor = authenticate(checker.as_ref(), parts, in_query, "").await?;
        if let Some(slot) = slot {
            let _ = slot.set(actor.clone());
        }
        Ok(Self(actor))
    }
}

/// The actor if the request has a valid token, for public calls that return more to users.
#[derive(Clone, Debug)]
pub struct MaybeSignedIn(pub Option<Actor>);

impl<S> FromRequestParts<S> for MaybeSignedIn
where
    S: Send + Sync,
    Arc<dyn Authenticate>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let has_token = parts.headers.contains_key(header::AUTHORIZATION) || parts.headers.contains_key("x-auth");
        if !has_token {
            return Ok(Self(None));
        }
        Ok(Self(SignedIn::from_request_parts(parts, state).await.ok().map(|SignedIn(actor)| actor)))
    }
}

/// A signed-in administrator; others get 403.
#[derive(Clone, Debug)]
pub struct Administrator(pub Actor);

impl<S> FromRequestParts<S> for Administrator
where
    S: Send + Sync,
    Arc<dyn Authenticate>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let SignedIn(actor) = SignedIn::from_request_parts(parts, state).await?;
        if actor.is_admin() { Ok(Self(actor)) } else { Err(ApiError::forbidden()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_tokens_from_one_ipv6_network_are_counted_together() {
        let wrong = WrongTokens::default();
        let refused = |address: &str| {
            let counted = wrong.count(address.parse().unwrap(), Err(TokenError::Rejected.into()));
            matches!(counted, Err(AuthError::TooMany(_)))
        };
        let held = (0..100).filter(|n| refused(&format!("2001:db8:0:7::{n:x}"))).count();
        // One more may be allowed while the test runs.
        assert!((39..=40).contains(&held), "{held}");
        assert!(!refused("2001:db8:0:8::1") && !refused("192.0.2.1"));
    }
}
