//! The actor of a request.

use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Timestamp;
use crate::scope::AccessToken;

/// A platform user's number. Never given out twice, not even after the user is deleted,
/// because tokens and the disk's records carry it.
pub type UserId = i64;

/// The role on the platform as a whole; a number in the token and on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub enum Role {
    /// 1: sees and changes everything.
    Admin,
    /// 2: an ordinary user.
    User,
}

/// A number that stands for no role.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("role is 1 (administrator) or 2 (user), not {0}")]
pub struct UnknownRole(i64);

impl TryFrom<i64> for Role {
    type Error = UnknownRole;

    fn try_from(number: i64) -> Result<Self, UnknownRole> {
        match number {
            1 => Ok(Self::Admin),
            2 => Ok(Self::User),
            other => Err(UnknownRole(other)),
        }
    }
}

impl From<Role> for i64 {
    fn from(role: Role) -> Self {
        match role {
            Role::Admin => 1,
            Role::User => 2,
        }
    }
}

impl PartialSchema for Role {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .enum_values(Some([1, 2]))
            .description(Some("1 = administrator, 2 = user"))
            .into()
    }
}

impl ToSchema for Role {}

/// The signed-in user of a request: the token is genuine and its session is open. Or a script with a personal access
/// token, which acts for its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The platform user.
    pub id: UserId,
    /// The present username, which is also the name of the home folder.
    pub username: String,
    /// The present role, not the one in the token. An access token has the administrator's role only if its scopes say
    /// so.
    pub role: Role,
    /// The session (the token's `jti`), so that it can be ended; names the access token where there
    /// is no session.
    pub session: String,
    /// When the session ends by itself.
    pub expires: Timestamp,
    /// The access token of the request, if it came with one.
    pub token: Option<AccessToken>,
    /// The only folder of the disk that an app password opens, as a path of this person's view; `None` for full access.
    pub folder: Option<String>,
}

impl Actor {
    /// Whether this is an administrator.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}
