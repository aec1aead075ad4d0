//! Checking tokens against the open sessions, for the portal's own calls and for the disk.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::FromRef;
use http_kit::{AuthError, Authenticate, Credential, SignIn};
use kernel::scope::AccessToken;
use kernel::token::{TokenError, Verified};
use kernel::{Actor, Role, Timestamp, UserId};

use super::lifetimes::{Lifetimes, USE_NOTED_EVERY};
use super::store::{self, OpenSession};
use crate::Portal;
use crate::features::access_tokens::{self, KnownToken};
use crate::features::{app_passwords, groups, settings, users};

/// How long one check of an app password is reused.
const APP_PASSWORD_LASTS: Duration = Duration::from_secs(60 * 60);

/// Prefix of an access token's id where a session's id is expected.
const ACCESS_TOKEN: &str = "access-token:";

/// Checks tokens against the portal's own database, in which an open session is a row.
#[derive(Clone, Debug)]
struct SessionCheck(Portal);

#[async_trait]
impl Authenticate for SessionCheck {
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError> {
        let portal = &self.0;
        let now = portal.now();
        let missed = match portal.recent_actors().get(credential.token, portal.db()).await {
            Ok(actor) if actor.expires > now => return Ok(actor),
            Ok(_) => return Err(TokenError::Expired.into()),
            Err(missed) => missed,
        };
        if let Some(digest) = credential.access_token_digest() {
            let actor = portal.wrong_tokens().count(credential.client, portal.access_token(&digest).await)?;
            portal.recent_actors().keep(credential.token.to_owned(), missed, actor.clone());
            return Ok(actor);
        }
        match portal.keys().verifier().verify(credential.token, now)? {
            Verified::Login(claims) => {
                let actor = portal.used_session(claims.jti, Some(credential.client)).await?;
                portal.recent_actors().keep(credential.token.to_owned(), missed, actor.clone());
                Ok(actor)
            }
            // Not kept in mind: each is for a request or two.
            Verified::Ticket(ticket) if ticket.is_for(credential.method.as_str(), credential.path) => {
                let actor = portal.used_session(ticket.jti, Some(credential.client)).await?;
                if credential.opens_socket {
                    portal.spend_ticket(&ticket.tid, Timestamp::from_millis(ticket.exp * 1000)).await?;
                }
                Ok(actor)
            }
            Verified::Ticket(_) => Err(AuthError::Ended),
        }
    }

    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError> {
        let portal = &self.0;
        let now = portal.now();
        let owner = app_passwords::owner(portal.db(), digest).await.map_err(AuthError::of_database)?;
        let owner = owner.ok_or(TokenError::Rejected)?;
        if owner.expires.is_some_and(|expires| expires <= now.as_millis()) {
            return Err(TokenError::Expired.into());
        }
        let facts = users::disk_facts(portal.db(), owner.user_id).await.map_err(AuthError::of_database)?;
        let facts = facts.filter(|facts| facts.username.to_lowercase() == username.to_lowercase());
        let facts = facts.ok_or(TokenError::Rejected)?;
        if !facts.active {
            return Err(AuthError::Disabled);
        }
        app_passwords::note_use(portal.db(), &owner, now).await.map_err(AuthError::of_database)?;
        let role = Role::try_from(facts.role).map_err(AuthError::unavailable)?;
        let session = format!("app-password:{}", owner.id);
        let ends = owner.expires.map_or(Timestamp::from_millis(i64::MAX), Timestamp::from_millis);
        let expires = now.plus(APP_PASSWORD_LASTS).min(ends);
        let (id, username, folder) = (owner.user_id, facts.username, owner.folder);
        Ok(Actor { id, username, role, session, expires, token: None, folder })
    }

    async fn sign_in(&self, actor: &Actor) -> Result<SignIn, AuthError> {
        Ok(SignIn { id: self.0.sign_in_of(&actor.session).await?, actor: actor.clone() })
    }

    async fn still(&self, sign_in: &SignIn) -> Result<Actor, AuthError> {
        self.0.signed_in(&sign_in.id).await
    }
}

impl FromRef<Portal> for Arc<dyn Authenticate> {
    fn from_ref(portal: &Portal) -> Self {
        Arc::new(SessionCheck(portal.clone()))
    }
}

fn actor(open: OpenSession, now: Timestamp) -> Result<Actor, AuthError> {
    if !open.active {
        return Err(AuthError::Disabled);
    }
    let expires = Timestamp::from_millis(open.expires);
    if expires <= now {
        return Err(AuthError::Token(TokenError::Expired));
    }
    let role = Role::try_from(open.role).map_err(AuthError::unavailable)?;
    Ok(Actor { id: open.user_id, username: open.username, role, session: open.id, expires, token: None, folder: None })
}

/// Whether a session id stands for an access token.
fn is_access_token(session: &str) -> bool {
    session.starts_with(ACCESS_TOKEN)
}

/// A user's id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName {
    /// Never reused for another user.
    pub id: UserId,
    /// The name, which is also the home folder's.
    pub username: String,
    /// Administrator or not.
    pub role: Role,
}

/// Queries of the disk.
impl Portal {
    /// Returns the user of an open session. The caller has verified the token that names it.
    ///
    /// # Errors
    /// [`AuthError`] says why the session is not open.
    pub async fn session(&self, id: String) -> Result<Actor, AuthError> {
        self.used_session(id, None).await
    }

    /// The same, used from this address.
    async fn used_session(&self, id: String, client: Option<IpAddr>) -> Result<Actor, AuthError> {
        if let Some(token) = id.strip_prefix(ACCESS_TOKEN) {
            let known = access_tokens::by_id(self.db(), token).await.map_err(AuthError::of_database)?;
            return self.known_token(known.ok_or(AuthError::Ended)?).await;
        }
        let open =
            store::open_session(self.db(), &id).await.map_err(AuthError::of_database)?.ok_or(AuthError::Ended)?;
        let (now, last_used) = (self.now(), Timestamp::from_millis(open.last_used));
        // A user who was active just now is not idle, whatever the settings' interval is.
        let unnoted = now >= last_used.plus(USE_NOTED_EVERY);
        if unnoted {
            let settings = settings::read(self.db()).await.map_err(AuthError::unavailable)?;
            if last_used <= Lifetimes::of(&settings).used_after(now) {
                return Err(AuthError::Token(TokenError::Expired));
            }
        }
        let sign_in = open.sign_in.clone();
        let actor = actor(open, now)?;
        if unnoted {
            let client = client.map(|client| client.to_string());
            store::note_use(self.db(), &sign_in, now, client.as_deref()).await.map_err(AuthError::of_database)?;
        }
        Ok(actor)
    }

    /// Forgets sessions, sign-ins and tickets that ended by themselves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_ended_sessions(&self) -> anyhow::Result<()> {
        Ok(store::sweep(self.db(), self.now()).await?)
    }

    /// Spends a ticket for a WebSocket, which it opens once.
    ///
    /// # Errors
    /// [`AuthError::Ended`] when it was spent before.
    pub async fn spend_ticket(&self, ticket: &str, expires: Timestamp) -> Result<(), AuthError> {
        let first = store::spend_ticket(self.db(), ticket, expires).await.map_err(AuthError::of_database)?;
        if first { Ok(()) } else { Err(AuthError::Ended) }
    }

    /// Returns the sign-in that a session belongs to. An access token counts as one.
    ///
    /// # Errors
    /// [`AuthError::Ended`] when it is over.
    pub async fn sign_in_of(&self, session: &str) -> Result<String, AuthError> {
        if is_access_token(session) {
            return Ok(session.to_owned());
        }
        Ok(store::sign_in_of(self.db(), session).await.map_err(AuthError::of_database)?.ok_or(AuthError::Ended)?.id)
    }

    /// Returns the user of a sign-in, with their present role.
    ///
    /// # Errors
    /// [`AuthError`] with the reason: signed out, ended by a user, expired, or the account is disabled.
    pub async fn signed_in(&self, sign_in: &str) -> Result<Actor, AuthError> {
        if is_access_token(sign_in) {
            return self.session(sign_in.to_owned()).await;
        }
        let open = store::open_session_of(self.db(), sign_in)
            .await
            .map_err(AuthError::of_database)?
            .ok_or(AuthError::Ended)?;
        actor(open, self.now())
    }

    /// Returns the owner of the access token with this digest ([`http_kit::secret_digest`]).
    ///
    /// # Errors
    /// [`TokenError::Rejected`] for an unknown digest, and the other failures of [`AuthError`].
    pub async fn access_token(&self, digest: &str) -> Result<Actor, AuthError> {
        let known = access_tokens::by_digest(self.db(), digest).await.map_err(AuthError::of_database)?;
        self.known_token(known.ok_or(TokenError::Rejected)?).await
    }

    async fn known_token(&self, known: KnownToken) -> Result<Actor, AuthError> {
        let (now, expires) = (self.now(), Timestamp::from_millis(known.expires));
        if expires <= now {
            return Err(TokenError::Expired.into());
        }
        let facts = users::disk_facts(self.db(), known.user_id).await.map_err(AuthError::of_database)?;
        let facts = facts.ok_or(TokenError::Rejected)?;
        if !facts.active {
            return Err(AuthError::Disabled);
        }
        access_tokens::note_use(self.db(), &known, now).await.map_err(AuthError::of_database)?;
        let token = AccessToken { scopes: known.scopes(), name: known.name };
        let role = match Role::try_from(facts.role).map_err(AuthError::unavailable)? {
            Role::Admin if token.administers() => Role::Admin,
            _ => Role::User,
        };
        let session = format!("{ACCESS_TOKEN}{}", known.id);
        Ok(Actor {
            id: known.user_id,
            username: facts.username,
            role,
            session,
            expires,
            token: Some(token),
            folder: None,
        })
    }

    /// Lists all accounts, by id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn accounts(&self) -> anyhow::Result<Vec<AccountName>> {
        let name = |row: users::NameAndRole| {
            Ok(AccountName { id: row.id, username: row.username, role: Role::try_from(row.role)? })
        };
        users::names_and_roles(self.db()).await?.into_iter().map(name).collect()
    }

    /// Locks or unlocks a user's own changes of their password. Does nothing when the account is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        let tx = self.db().begin().await?;
        users::lock_password(&tx, id, locked).await?;
        Ok(tx.commit().await?)
    }

    /// Returns the quota of a group's folder in bytes; 0 when there is no such group or no limit.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn group_folder_quota(&self, folder: &str) -> anyhow::Result<i64> {
        Ok(groups::folder_quota(self.db(), folder).await?)
    }
}
