//! Questions and answers, as JSON. One call for all of them: it is for our own hosts only, which
//! are of the portal's version.

use http_kit::AuthError;
use kernel::token::TokenError;
use kernel::{Actor, Role, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Where the portal answers them.
pub(super) const PATH: &str = "/api/storage-host";
/// No question is larger.
pub(super) const MAX_QUESTION_BYTES: usize = 4096;

/// What a storage host asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum Question {
    /// A [`Session`].
    Session { id: String },
    /// A [`Session`] as well; `digest` is [`http_kit::app_password_digest`].
    AppPassword { username: String, digest: String },
    /// A [`disk::Person`], or null.
    Person { id: UserId },
    /// Every [`disk::Account`].
    Accounts,
    /// Bytes; 0 is no limit.
    HomeQuota { username: String },
    /// Bytes; 0 is no limit.
    GroupQuota { folder: String },
}

/// What has become of a session, or of an app password.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum Session {
    Open {
        id: UserId,
        username: String,
        role: Role,
        session: String,
        /// Milliseconds since 1970.
        expires: i64,
    },
    Ended,
    Expired,
    /// There is no such app password.
    Rejected,
    /// The account is switched off.
    Disabled,
}

impl Session {
    /// The outer error is that it could not be found out.
    pub(super) fn of(checked: Result<Actor, AuthError>) -> anyhow::Result<Self> {
        Ok(match checked {
            Ok(Actor { id, username, role, session, expires }) => {
                Self::Open { id, username, role, session, expires: expires.as_millis() }
            }
            Err(AuthError::Token(TokenError::Expired)) => Self::Expired,
            Err(AuthError::Token(_)) => Self::Rejected,
            Err(AuthError::Disabled) => Self::Disabled,
            Err(AuthError::Ended | AuthError::Missing) => Self::Ended,
            Err(error @ AuthError::Unavailable(_)) => return Err(error.into()),
        })
    }

    /// Whose it is, if it is good at this moment.
    pub(super) fn actor(self, now: Timestamp) -> Result<Actor, AuthError> {
        match self {
            Self::Open { id, username, role, session, expires } => {
                let expires = Timestamp::from_millis(expires);
                let actor = Actor { id, username, role, session, expires };
                if expires > now { Ok(actor) } else { Err(TokenError::Expired.into()) }
            }
            Self::Expired => Err(TokenError::Expired.into()),
            Self::Rejected => Err(TokenError::Rejected.into()),
            Self::Ended => Err(AuthError::Ended),
            Self::Disabled => Err(AuthError::Disabled),
        }
    }
}
