//! Checking tokens against the open sessions, for the portal's own calls and for the disk.

use std::time::Duration;

use async_trait::async_trait;
use db_kit::FromQueryResult;
use http_kit::{AuthError, Authenticate, Credential, SignIn};
use kernel::dataset::DatasetFolder;
use kernel::scope::AccessToken;
use kernel::token::{TokenError, Verified};
use kernel::{Actor, Role, Timestamp, UserId};

use super::store::{self, OpenSession};
use crate::Portal;
use crate::features::access_tokens::{self, KnownToken};
use crate::features::{app_passwords, datasets, groups, users};

/// An app password has no end of its own; this is how long one look at it is good for.
const APP_PASSWORD_LASTS: Duration = Duration::from_secs(60 * 60);

/// What stands in for a session where there is an access token: this and the token's id.
const ACCESS_TOKEN: &str = "access-token:";

/// Asks the portal's own database, in which an open session is a row.
#[derive(Clone, Debug)]
pub(crate) struct SessionCheck(pub(crate) Portal);

#[async_trait]
impl Authenticate for SessionCheck {
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError> {
        let portal = &self.0;
        let now = portal.now();
        if let Some(actor) = portal.recent_actors().get(credential.token, portal.db())
            && actor.expires > now
        {
            return Ok(actor);
        }
        let commits = portal.db().commits();
        if let Some(digest) = credential.access_token_digest() {
            let actor = portal.wrong_tokens().count(credential.client, portal.access_token(&digest).await)?;
            portal.recent_actors().keep(credential.token.to_owned(), commits, actor.clone());
            return Ok(actor);
        }
        let mut login = true;
        let session = match portal.keys().verifier().verify(credential.token, now)? {
            Verified::Login(claims) => claims.jti,
            Verified::Ticket(ticket) => {
                login = false;
                if !ticket.is_for(credential.method.as_str(), credential.path) {
                    return Err(AuthError::Ended);
                }
                ticket.jti
            }
        };
        let actor = portal.session(session).await?;
        // Tickets are for one request; they would only fill the memory.
        if login {
            portal.recent_actors().keep(credential.token.to_owned(), commits, actor.clone());
        }
        Ok(actor)
    }

    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError> {
        let portal = &self.0;
        let now = portal.now();
        let owner = app_passwords::owner(portal.db(), digest).await.map_err(unavailable)?;
        let owner = owner.ok_or(TokenError::Rejected)?;
        let facts = users::disk_facts(portal.db(), owner.user_id).await.map_err(unavailable)?;
        let facts = facts.filter(|facts| facts.username.to_lowercase() == username.to_lowercase());
        let facts = facts.ok_or(TokenError::Rejected)?;
        if !facts.active {
            return Err(AuthError::Disabled);
        }
        app_passwords::note_use(portal.db(), &owner, now).await.map_err(unavailable)?;
        let role = Role::try_from(facts.role).map_err(|error| AuthError::Unavailable(error.into()))?;
        let session = format!("app-password:{}", owner.id);
        let expires = now.plus(APP_PASSWORD_LASTS);
        Ok(Actor { id: owner.user_id, username: facts.username, role, session, expires, token: None })
    }

    async fn sign_in(&self, actor: &Actor) -> Result<SignIn, AuthError> {
        Ok(SignIn { id: self.0.sign_in_of(&actor.session).await?, actor: actor.clone() })
    }

    async fn still(&self, sign_in: &SignIn) -> Result<Actor, AuthError> {
        self.0.signed_in(&sign_in.id).await
    }
}

fn actor(open: Option<OpenSession>, now: Timestamp) -> Result<Actor, AuthError> {
    let open = open.ok_or(AuthError::Ended)?;
    if !open.active {
        return Err(AuthError::Disabled);
    }
    let expires = Timestamp::from_millis(open.expires);
    if expires <= now {
        return Err(AuthError::Token(TokenError::Expired));
    }
    let role = Role::try_from(open.role).map_err(|error| AuthError::Unavailable(error.into()))?;
    Ok(Actor { id: open.user_id, username: open.username, role, session: open.id, expires, token: None })
}

/// Whether what names a session names an access token.
fn is_access_token(session: &str) -> bool {
    session.starts_with(ACCESS_TOKEN)
}

fn unavailable(error: db_kit::DbError) -> AuthError {
    AuthError::Unavailable(error.into())
}

/// Somebody as the disk needs to know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The name, which is also the home folder's.
    pub username: String,
    /// Administrator or not.
    pub role: Role,
    /// Switched on.
    pub active: bool,
    /// Bytes on the disk; 0 is no limit.
    pub disk_quota: i64,
    /// The groups that the person is in.
    pub groups: Vec<SharedFolder>,
    /// The datasets that the person sees; administrators see the whole disk.
    pub datasets: Vec<DatasetFolder>,
}

/// Somebody's number and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName {
    /// Never given to anybody else.
    pub id: UserId,
    /// The name, which is also the home folder's.
    pub username: String,
    /// Administrator or not.
    pub role: Role,
}

/// A group's folder on the disk.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct SharedFolder {
    /// Its name below `groups`.
    pub folder: String,
    /// Bytes; 0 is no limit.
    pub disk_quota: i64,
}

/// What the disk asks.
impl Portal {
    /// Whose session this is, if it is open. Whoever asks has verified the token that names it.
    ///
    /// # Errors
    /// [`AuthError`] says why it is not.
    pub async fn session(&self, id: String) -> Result<Actor, AuthError> {
        if let Some(token) = id.strip_prefix(ACCESS_TOKEN) {
            let known = access_tokens::by_id(self.db(), token).await.map_err(unavailable)?;
            return self.known_token(known.ok_or(AuthError::Ended)?).await;
        }
        let open = store::open_session(self.db(), &id).await.map_err(unavailable)?;
        actor(open, self.now())
    }

    /// The sign-in that a session came of. An access token counts as one.
    ///
    /// # Errors
    /// [`AuthError::Ended`] when it is over.
    pub async fn sign_in_of(&self, session: &str) -> Result<String, AuthError> {
        if is_access_token(session) {
            return Ok(session.to_owned());
        }
        store::sign_in_of(self.db(), session).await.map_err(unavailable)?.ok_or(AuthError::Ended)
    }

    /// Who came by this sign-in, as they are now.
    ///
    /// # Errors
    /// [`AuthError`] says why it is over: signed out, ended by somebody, expired, or the account is
    /// disabled.
    pub async fn signed_in(&self, sign_in: &str) -> Result<Actor, AuthError> {
        if is_access_token(sign_in) {
            return self.session(sign_in.to_owned()).await;
        }
        let open = store::open_session_of(self.db(), sign_in).await.map_err(unavailable)?;
        actor(open, self.now())
    }

    /// Whose access token has this digest ([`http_kit::secret_digest`]).
    ///
    /// # Errors
    /// [`TokenError::Rejected`] when there is none, [`AuthError`] says what else can be.
    pub async fn access_token(&self, digest: &str) -> Result<Actor, AuthError> {
        let known = access_tokens::by_digest(self.db(), digest).await.map_err(unavailable)?;
        self.known_token(known.ok_or(TokenError::Rejected)?).await
    }

    async fn known_token(&self, known: KnownToken) -> Result<Actor, AuthError> {
        let (now, expires) = (self.now(), Timestamp::from_millis(known.expires));
        if expires <= now {
            return Err(TokenError::Expired.into());
        }
        let facts = users::disk_facts(self.db(), known.user_id).await.map_err(unavailable)?;
        let facts = facts.ok_or(TokenError::Rejected)?;
        if !facts.active {
            return Err(AuthError::Disabled);
        }
        access_tokens::note_use(self.db(), &known, now).await.map_err(unavailable)?;
        let token = AccessToken { scopes: known.scopes(), name: known.name };
        let role = match Role::try_from(facts.role).map_err(|error| AuthError::Unavailable(error.into()))? {
            Role::Admin if token.administers() => Role::Admin,
            _ => Role::User,
        };
        let session = format!("{ACCESS_TOKEN}{}", known.id);
        Ok(Actor { id: known.user_id, username: facts.username, role, session, expires, token: Some(token) })
    }

    /// Who somebody is; `None` when there is no such user.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn account(&self, id: UserId) -> anyhow::Result<Option<Account>> {
        if let Some(account) = self.recent_accounts().get(&id, self.db()) {
            return Ok(Some(account));
        }
        let commits = self.db().commits();
        let Some(facts) = users::disk_facts(self.db(), id).await? else { return Ok(None) };
        let groups = groups::folders_of(self.db(), id).await?;
        let role = Role::try_from(facts.role)?;
        let datasets = datasets::folders_of(self.db(), id).await?;
        let (active, disk_quota) = (facts.active, facts.disk_quota);
        let account = Account { username: facts.username, role, active, disk_quota, groups, datasets };
        self.recent_accounts().keep(id, commits, account.clone());
        Ok(Some(account))
    }

    /// Everybody who has an account, by number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn accounts(&self) -> anyhow::Result<Vec<AccountName>> {
        let name = |row: users::NameAndRole| {
            Ok(AccountName { id: row.id, username: row.username, role: Role::try_from(row.role)? })
        };
        users::names_and_roles(self.db()).await?.into_iter().map(name).collect()
    }

    /// Keeps somebody from changing their own password, or no longer. Nothing happens when the
    /// account is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        let tx = self.db().begin().await?;
        users::lock_password(&tx, id, locked).await?;
        Ok(tx.commit().await?)
    }

    /// The quota of a home folder in bytes; 0 when there is no such user or no limit.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn home_quota(&self, username: &str) -> anyhow::Result<i64> {
        Ok(users::home_quota(self.db(), username).await?)
    }

    /// The quota of a group's folder in bytes; 0 when there is no such group or no limit.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn group_folder_quota(&self, folder: &str) -> anyhow::Result<i64> {
        Ok(groups::folder_quota(self.db(), folder).await?)
    }
}
