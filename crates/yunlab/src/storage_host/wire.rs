//! Questions and answers, as JSON. One call for all of them: it is for our own hosts only, which
//! are of the portal's version.

use kernel::{Role, UserId};
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
    /// A [`disk::Person`], or null.
    Person { id: UserId },
    /// Bytes; 0 is no limit.
    HomeQuota { username: String },
    /// Bytes; 0 is no limit.
    GroupQuota { folder: String },
}

/// What has become of a session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum Session {
    Open {
        id: UserId,
        username: String,
        role: Role,
        /// Milliseconds since 1970.
        expires: i64,
    },
    Ended,
    Expired,
    /// The account is switched off.
    Disabled,
}
