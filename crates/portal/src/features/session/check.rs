//! Checking tokens against the open sessions, for the portal's own calls and for the disk.

use std::time::Duration;

use async_trait::async_trait;
use db_kit::FromQueryResult;
use http_kit::{AuthError, Authenticate, Credential};
use kernel::token::{TokenError, Verified};
use kernel::{Actor, Role, Timestamp, UserId};

use super::store::{self, OpenSession};
use crate::Portal;
use crate::features::{app_passwords, groups, users};

/// An app password has no end of its own; this is how long one look at it is good for.
const APP_PASSWORD_LASTS: Duration = Duration::from_secs(60 * 60);

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
        let unavailable = |error: db_kit::DbError| AuthError::Unavailable(error.into());
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
        Ok(Actor { id: owner.user_id, username: facts.username, role, session, expires: now.plus(APP_PASSWORD_LASTS) })
    }
}

fn actor(session: String, open: Option<OpenSession>, now: Timestamp) -> Result<Actor, AuthError> {
    let open = open.ok_or(AuthError::Ended)?;
    if !open.active {
        return Err(AuthError::Disabled);
    }
    let expires = Timestamp::from_millis(open.expires);
    if expires <= now {
        return Err(AuthError::Token(TokenError::Expired));
    }
    let role = Role::try_from(open.role).map_err(|error| AuthError::Unavailable(error.into()))?;
    Ok(Actor { id: open.user_id, username: open.username, role, session, expires })
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
        let open = store::open_session(self.db(), &id).await.map_err(|error| AuthError::Unavailable(error.into()))?;
        actor(id, open, self.now())
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
        let (active, disk_quota) = (facts.active, facts.disk_quota);
        let account = Account { username: facts.username, role, active, disk_quota, groups };
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
