//! Authentication: every call but the public ones passes here and leaves with the person attached.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use disk_core::space::Space;
use disk_core::usage::{Account, Allowance};
use disk_core::view::View;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use http_kit::{AuthError, authenticate, note_route};
use kernel::scope::{ACCESS_TOKEN_PREFIX, Scope};
use kernel::token::TokenError;
use kernel::{Actor, Person, Timestamp, UserId};

use super::pipe::Reader;
use super::{ErrorResponse, HttpResult, STRANGERS_BYTES, drain, record};
use crate::host::Host;
use crate::permissions::Permissions;
use crate::settings::Settings;
use crate::trail::Watched;
use crate::users::{Profile, Sources};

/// Query parameter for tickets and, for clients that cannot set headers, login tokens.
const QUERY_PARAMETER: &str = "auth";
/// Half of a token's 24 hours: below this the client is asked to renew.
const RENEW_BELOW: Duration = Duration::from_secs(12 * 60 * 60);

/// The person behind a request, their view, and their permissions.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) actor: Actor,
    pub(crate) view: Arc<View>,
    pub(crate) may: Permissions,
    pub(crate) profile: Arc<Profile>,
    /// Settings at the time of the request.
    pub(crate) settings: Arc<Settings>,
}

impl Member {
    /// The member for an authenticated actor.
    pub(crate) async fn by_actor(host: &Host, actor: Actor) -> DiskResult<Self> {
        let person = host.directory.person(actor.id).await.map_err(DiskError::Unavailable)?;
        let person = person.filter(|person| person.active).ok_or(DiskError::Unauthorized(Reason::AccountDisabled))?;
        Self::of(host, actor, person).await
    }

    /// The member for work on behalf of a person who is not signed in: the owner of a share, the builder of an image.
    pub(crate) async fn in_name_of(host: &Host, id: UserId) -> DiskResult<Self> {
        let person = host.directory.person(id).await.map_err(DiskError::Unavailable)?;
        let person = person.filter(|person| person.active).ok_or(DiskError::NotFound)?;
        let actor = Actor {
            id,
            username: person.username.clone(),
            role: person.role,
            session: String::new(),
            expires: host.clock.now(),
            token: None,
            folder: None,
        };
        Self::of(host, actor, person).await
    }

    /// The person's present view and permissions.
    pub(crate) async fn of(host: &Host, actor: Actor, person: Arc<Person>) -> DiskResult<Self> {
        let settings = host.settings.get().await?;
        let profile = host.profiles.of(actor.id, &settings).await?;
        let may = profile.rights_of(&actor);
        let sources = Sources { person, profile, settings };
        let view = host.views.of(&actor, &sources, &host.profiles)?;
        if !host.files.homes.is_checked(view.username(), actor.id) {
            let (host, view, id) = (host.clone(), Arc::clone(&view), actor.id);
            blocking(move || host.files.homes.claim(&host.files.jail, view.username(), id)).await?;
        }
        let Sources { profile, settings, .. } = sources;
        Ok(Self { actor, view, may, profile, settings })
    }

    /// The reader of a long response; a share's reader has no session.
    pub(crate) fn reader(&self) -> Reader {
        let id = self.actor.id;
        if self.actor.session.is_empty() { Reader::VisitorsOf(id) } else { Reader::Person(id) }
    }

    /// The quotas that hold for writing into this space.
    pub(crate) async fn allowance(&self, host: &Host, space: &Space) -> DiskResult<Allowance> {
        let account = self.account(host, space).await?;
        Ok(host.allowance(space, account, &self.settings))
    }

    /// The account that this space counts to.
    pub(crate) async fn account(&self, host: &Host, space: &Space) -> DiskResult<Account> {
        match self.view.own_account(space) {
            Some(own) => Ok(own),
            None => host.account(space, &self.settings).await,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Member {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> HttpResult<Self> {
        // Removed, because the handler takes it only once.
        let known = parts.extensions.remove::<Self>();
        Ok(known.ok_or_else(|| DiskError::internal(anyhow::anyhow!("a route that needs a person has no guard")))?)
    }
}

/// The disk's usual mount point, and its routes in the table of scopes, wherever it is mounted.
pub(super) const AREA: &str = "/disk";

/// Middleware: authenticates the request, or refuses it.
pub(crate) async fn guard(State(host): State<Host>, request: Request, next: Next) -> Response {
    note_route(request.extensions());
    guarded(&host, request, |request| next.run(request)).await
}

/// Authenticates the request and has it answered, or refuses it.
pub(super) async fn guarded<F>(host: &Host, request: Request, answer: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let (mut parts, body) = request.into_parts();
    let member = match identify(host, &parts).await {
        Ok(member) => member,
        Err(error) => {
            drain(&parts.headers, body, STRANGERS_BYTES).await;
            return ErrorResponse::from(error).into_response();
        }
    };
    let renew = wants_renewal(&member.actor, host.clock.now());
    let tried = record::tried(&parts, &member);
    let watched = Watched::of_call(&parts, &member);
    parts.extensions.insert(member);
    let mut response = answer(Request::from_parts(parts, body)).await;
    if let Some(change) = tried.filter(|_| response.status() == StatusCode::FORBIDDEN) {
        record::record_refusal(&*host.directory, &change).await;
    }
    if let Some(watched) = watched.filter(|watched| watched.is_done(&response)) {
        watched.note(host).await;
    }
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    if renew {
        headers.insert("x-renew-token", HeaderValue::from_static("true"));
    }
    response
}

fn wants_renewal(actor: &Actor, now: Timestamp) -> bool {
    actor.token.is_none() && actor.expires < now.plus(RENEW_BELOW)
}

async fn identify(host: &Host, parts: &Parts) -> DiskResult<Member> {
    let actor = match authenticate(host.authenticate.as_ref(), parts, &[QUERY_PARAMETER], AREA).await {
        Err(AuthError::Missing) => by_cookie(host, parts).await?,
        other => other.map_err(not_signed_in)?,
    };
    Member::by_actor(host, actor).await
}

/// Authenticates by the cookie `auth`, which File Browser's pages use where they can set no header.
/// Browsers attach a cookie to requests from other sites and other ports of the host as well, so it
/// authorizes only GET, and only with an access token whose scope is exactly `files`.
async fn by_cookie(host: &Host, parts: &Parts) -> DiskResult<Actor> {
    let cookies = parts.headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let token = pairs.find(|(name, value)| *name == QUERY_PARAMETER && value.starts_with(ACCESS_TOKEN_PREFIX));
    let reads = parts.method == Method::GET && !parts.headers.contains_key(header::UPGRADE);
    let bearer = token.filter(|_| reads).and_then(|(_, token)| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    let Some(bearer) = bearer else { return Err(not_signed_in(AuthError::Missing)) };
    if !host.settings.get().await?.filebrowser_pages {
        return Err(not_signed_in(AuthError::Missing));
    }
    let mut parts = parts.clone();
    parts.headers.insert(header::AUTHORIZATION, bearer);
    let actor = authenticate(host.authenticate.as_ref(), &parts, &[], AREA).await.map_err(not_signed_in)?;
    let only_files = actor.token.as_ref().is_some_and(|token| token.scopes == [Scope::Files]);
    if only_files { Ok(actor) } else { Err(not_signed_in(AuthError::OutOfScope)) }
}

/// Why there is no person behind a request.
pub(crate) fn not_signed_in(error: AuthError) -> DiskError {
    match error {
        AuthError::Missing => DiskError::Unauthorized(Reason::TokenMissing),
        AuthError::Token(TokenError::Malformed) => DiskError::Unauthorized(Reason::TokenMalformed),
        AuthError::Token(TokenError::Expired) => DiskError::Unauthorized(Reason::TokenExpired),
        AuthError::Token(TokenError::Rejected) => DiskError::Unauthorized(Reason::TokenRefused),
        AuthError::Ended => DiskError::Unauthorized(Reason::SessionEnded),
        AuthError::AccessToken => DiskError::Unauthorized(Reason::AccessTokenRefused),
        AuthError::OutOfScope => DiskError::Forbidden,
        AuthError::TooMany(wait) => DiskError::TooManyRequests(wait),
        AuthError::Disabled => DiskError::Unauthorized(Reason::AccountDisabled),
        AuthError::Unavailable { source, .. } => DiskError::Unavailable(anyhow::anyhow!(source)),
    }
}
