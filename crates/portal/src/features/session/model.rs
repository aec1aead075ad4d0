//! Request and response bodies, and their lifetimes.

use std::time::Duration;

use db_kit::Record;
use kernel::{Secret, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The lifetime of a ticket.
pub(super) const TICKET_LIFE: Duration = Duration::from_secs(60);
/// The size limit of a login request (GHSA-w5fm-68j4-fpc4: hashing a huge password exhausts memory).
pub(super) const MAX_LOGIN_BYTES: usize = 64 * 1024;

/// The credentials of a sign-in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Credentials {
    /// Trimmed before use.
    #[schema(example = "zhangmin")]
    pub(super) username: String,
    #[schema(value_type = String, format = Password)]
    pub(super) password: Secret,
    /// The device mark of an earlier sign-in: guesses from elsewhere cannot lock this device out.
    #[serde(default)]
    pub(super) device: Option<String>,
    /// Replaces a password that an administrator set, after the answer 422 `password_change_required`.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Password)]
    pub(super) new_password: Option<Secret>,
}

/// The login token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LoginResult {
    pub(super) jwt: String,
    /// The device mark to send with the next sign-in. It authorizes nothing.
    pub(super) device: String,
}

/// The request that a ticket is to authorize.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TicketRequest {
    /// The path as the browser will send it: absolute, percent-encoded, without the query.
    #[schema(example = "/disk/api/raw/home/a.txt")]
    pub(super) path: String,
    /// `GET` or `HEAD`, which are equivalent here; a WebSocket is opened by `GET`.
    #[schema(example = "GET")]
    pub(super) method: String,
}

/// A ticket: replaces the login token in a URL.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    pub(super) ticket: String,
    /// The request must start before this time.
    pub(super) expires: Timestamp,
}

/// The password to confirm.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    #[schema(value_type = String, format = Password)]
    pub(super) password: Secret,
}

/// A sign-in: one browser or program of a user.
#[derive(Debug, Record, Serialize, ToSchema)]
#[record(table = "sign_ins")]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInEntry {
    pub(super) id: String,
    /// Whether this request belongs to it.
    #[record(skip)]
    pub(super) current: bool,
    /// When the user signed in.
    pub(super) created: Timestamp,
    /// The address at that time.
    #[schema(example = "10.0.0.7")]
    pub(super) address: String,
    /// The `User-Agent` at that time.
    pub(super) user_agent: String,
    /// When it was last used, to the minute.
    pub(super) last_used: Timestamp,
    /// The address of the last use; requests to a separate storage host do not count.
    pub(super) last_address: String,
}

/// The number of sign-ins that were ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EndedSignIns {
    pub(super) ended: u64,
}

/// Validates a ticket's path: absolute, printable ASCII (browsers encode the rest).
pub(super) fn is_ticket_path(path: &str) -> bool {
    path.starts_with('/') && path.len() <= 1200 && path.bytes().all(|b| b.is_ascii_graphic() && b != b'?' && b != b'#')
}

/// The methods that tickets authorize: none that changes anything.
pub(super) fn is_ticket_method(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}
