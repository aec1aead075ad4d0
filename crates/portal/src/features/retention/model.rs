//! Response bodies.

use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A kind of growing data.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptKind {
    /// Such as `login-logs`.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Days that it is kept; 0 = for ever.
    pub(super) days: u16,
    /// The number of entries.
    pub(super) entries: i64,
    pub(super) oldest: Option<Timestamp>,
    /// When retention last ran for it.
    pub(super) ran: Option<Timestamp>,
    /// How many entries that run deleted.
    pub(super) removed: i64,
    /// How many entries were ever deleted.
    pub(super) removed_ever: i64,
}
