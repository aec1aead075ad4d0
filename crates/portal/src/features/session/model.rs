//! What goes over the wire, and how long things last.

use std::time::Duration;

use kernel::{Secret, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A ticket must be used within this time.
pub(super) const TICKET_LIFE: Duration = Duration::from_secs(60);
/// A login request is never larger (GHSA-w5fm-68j4-fpc4: hashing a huge password eats memory).
pub(super) const MAX_LOGIN_BYTES: usize = 64 * 1024;

/// Who wants to sign in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    /// Trimmed before use.
    #[schema(example = "zhangmin")]
    pub(super) username: String,
    #[schema(value_type = String, format = Password)]
    pub(super) password: Secret,
    /// The mark of an earlier sign-in on this device: whoever guesses passwords elsewhere can't lock it out.
    #[serde(default)]
    pub(super) device: Option<String>,
}

/// The login token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LoginResult {
    pub(super) jwt: String,
    /// The device's mark, to be shown with the next sign-in. It opens nothing.
    pub(super) device: String,
}

/// What a ticket is wanted for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TicketRequest {
    /// The path as the browser will send it: from the host on, percent-encoded, without query.
    #[schema(example = "/disk/api/raw/home/a.txt")]
    pub(super) path: String,
    /// `GET` or `HEAD`, which are the same here; a WebSocket is opened by `GET`.
    #[schema(example = "GET")]
    pub(super) method: String,
}

/// A stand-in for the login token in an address.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    pub(super) ticket: String,
    /// The request must start before.
    pub(super) expires: Timestamp,
}

/// The password once more.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    #[schema(value_type = String, format = Password)]
    pub(super) password: Secret,
}

/// A place where somebody is signed in: a browser, a program.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInEntry {
    pub(super) id: String,
    /// Whether this request came by it.
    pub(super) current: bool,
    /// When the password was given.
    pub(super) created: Timestamp,
    /// From where it was given.
    #[schema(example = "10.0.0.7")]
    pub(super) address: String,
    /// What the program called itself then (`User-Agent`).
    pub(super) user_agent: String,
    /// To within a minute.
    pub(super) last_used: Timestamp,
    /// From where it was last used; requests to a storage host of its own don't count.
    pub(super) last_address: String,
}

/// How many sign-ins were ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EndedSignIns {
    pub(super) ended: u64,
}

/// The path of a ticket: absolute, of printable ASCII (a browser encodes the rest).
pub(super) fn is_ticket_path(path: &str) -> bool {
    path.starts_with('/') && path.len() <= 1200 && path.bytes().all(|b| b.is_ascii_graphic() && b != b'?' && b != b'#')
}

/// The verbs that tickets are given for: none that changes something.
pub(super) fn is_ticket_method(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}
