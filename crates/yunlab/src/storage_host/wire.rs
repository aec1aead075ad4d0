//! Questions and answers, as JSON. One call for all of them: it is for our own hosts only, which have the portal's
//! version.

use http_kit::AuthError;
use kernel::dataset::{DatasetLimits, DatasetReport, DiskUse};
use kernel::home::HomeReport;
use kernel::scope::AccessToken;
use kernel::token::TokenError;
use kernel::{Actor, DiskChange, DiskEvent, Role, StorageHostClock, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Where the portal answers them.
pub(super) const PATH: &str = "/api/storage-host";
/// Maximum size of a question; the differences between two versions of a dataset are the largest.
pub(super) const MAX_QUESTION_BYTES: usize = 4 * 1024 * 1024;

/// A storage host's question.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum Question {
    /// A [`Session`].
    Session { id: String },
    /// The identifier of a session's sign-in, or null when it has ended.
    SignIn { session: String },
    /// A [`Session`]: the present one of a sign-in.
    SignedIn { sign_in: String },
    /// A [`Session`] as well; `digest` is [`http_kit::secret_digest`].
    AppPassword { username: String, digest: String },
    /// A [`Session`] as well, with the token's scopes.
    AccessToken { digest: String },
    /// A [`kernel::Person`], or null.
    Person { id: UserId },
    /// Nothing is answered: it is a wish. [`disk::Directory::lock_password`].
    LockPassword { id: UserId, locked: bool },
    /// A [`Timestamp`]: the portal's trusted time, whatever its machine's clock says.
    Time,
    /// Nothing is answered: it is kept. [`portal::Portal::note_storage_host_clock`].
    HostClock { report: StorageHostClock },
    /// Every [`disk::Account`].
    Accounts,
    /// Whether the ticket was not used before; it is now. `expires` in seconds since 1970.
    SpendTicket { id: String, expires: i64 },
    /// A [`disk::QuotaHolder`].
    HomeHolder { username: String },
    /// A [`disk::QuotaHolder`].
    GroupHolder { folder: String },
    /// A [`disk::QuotaHolder`].
    DatasetHolder { folder: String },
    /// Every [`disk::QuotaHolder`] with a quota.
    QuotaHolders,
    /// Nothing is answered. [`disk::Directory::disk_uses`].
    DiskUses { uses: Vec<DiskUse> },
    /// Nothing is answered. [`disk::Directory::dataset_limits`].
    DatasetLimits { limits: DatasetLimits },
    /// Nothing is answered: it is kept. [`disk::Directory::record`].
    Record { change: DiskChange },
    /// Nothing is answered: they are kept. [`disk::Directory::record_events`].
    RecordEvents { events: Vec<DiskEvent> },
    /// Every [`kernel::dataset::DatasetChore`] that is not reported done, and that no other host has the lease of.
    DatasetChores {
        /// Names the host at every start.
        host: String,
    },
    /// Nothing is answered.
    DatasetReport { report: DatasetReport },
    /// Every [`kernel::home::HomeChore`] that is not reported done, and that no other host has the lease of.
    HomeChores { host: String },
    /// Nothing is answered.
    HomeReport { report: HomeReport },
}

/// The state of a session, of an app password or of an access token.
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<AccessToken>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    Ended,
    Expired,
    /// The app password or access token does not exist.
    Rejected,
    /// The account is switched off.
    Disabled,
}

impl Session {
    /// The outer error is that it could not be found out.
    pub(super) fn of(checked: Result<Actor, AuthError>) -> anyhow::Result<Self> {
        Ok(match checked {
            Ok(Actor { id, username, role, session, expires, token, folder }) => {
                Self::Open { id, username, role, session, expires: expires.as_millis(), token, folder }
            }
            Err(AuthError::Token(TokenError::Expired)) => Self::Expired,
            Err(AuthError::Token(_)) => Self::Rejected,
            Err(AuthError::Disabled) => Self::Disabled,
            Err(AuthError::Ended | AuthError::Missing) => Self::Ended,
            // The storage host checks scopes, rate limits and access tokens itself.
            Err(
                error @ (AuthError::Unavailable { .. }
                | AuthError::AccessToken
                | AuthError::OutOfScope
                | AuthError::TooMany(_)),
            ) => return Err(error.into()),
        })
    }

    /// Its user, if it is valid now.
    pub(super) fn actor(self, now: Timestamp) -> Result<Actor, AuthError> {
        match self {
            Self::Open { id, username, role, session, expires, token, folder } => {
                let expires = Timestamp::from_millis(expires);
                let actor = Actor { id, username, role, session, expires, token, folder };
                if expires > now { Ok(actor) } else { Err(TokenError::Expired.into()) }
            }
            Self::Expired => Err(TokenError::Expired.into()),
            Self::Rejected => Err(TokenError::Rejected.into()),
            Self::Ended => Err(AuthError::Ended),
            Self::Disabled => Err(AuthError::Disabled),
        }
    }
}
