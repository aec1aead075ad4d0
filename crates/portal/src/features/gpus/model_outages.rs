//! Outages of cards in the API: cause, beginning and end.

use db_kit::Record;
use http_kit::{ListParams, NoFilter};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::xid::XidClass;

/// Why a card is out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutageReason {
    /// Marked by an administrator.
    Manual,
    /// It could not be read several times in a row.
    Unreadable,
    /// It is off the bus.
    Lost,
    /// Its driver wants it reset.
    NeedsReset,
    /// Errors of its memory that could not be corrected.
    MemoryErrors,
    /// Rows of its memory wait for a reset to be replaced.
    RowsPending,
    /// Rows of its memory could not be replaced.
    RowsFailed,
    /// The kernel's log reports an error of the hardware.
    Xid,
}

/// How an outage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutageEnding {
    /// By a test run.
    Tested,
    /// An administrator ended it.
    ByHand,
}

/// A time in which a card was out of order.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "card_outages")]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardOutage {
    pub(super) id: String,
    #[record(word)]
    pub(super) reason: OutageReason,
    /// What was wrong, in a sentence.
    pub(super) detail: String,
    pub(super) since: Timestamp,
    /// The administrator who marked it; empty: the portal saw it.
    pub(super) seen_by: String,
    /// Null: it lasts.
    pub(super) ended: Option<Timestamp>,
    /// Null: it lasts.
    #[record(word)]
    pub(super) ending: Option<OutageEnding>,
    pub(super) ended_by: String,
    /// What the test run found that ended it.
    pub(super) result: String,
}

/// Why a card is out of order now.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenOutage {
    #[record(word)]
    pub(crate) reason: OutageReason,
    pub(crate) since: Timestamp,
}

/// What the kernel's log reported of a card in one boot of its machine, by its number.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardXid {
    pub(super) code: i64,
    pub(super) class: XidClass,
    /// What the number means; empty: it is rare.
    pub(super) meaning: String,
    pub(super) times: i64,
    /// Of the last report, the driver's own.
    pub(super) words: String,
    pub(super) first_seen: Timestamp,
    pub(super) last_seen: Timestamp,
}

/// How a test run went.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CardTest {
    /// Whether the card is back in use.
    pub(super) passed: bool,
    /// What was found.
    pub(super) words: String,
}

/// A page of a card's history.
pub(crate) type CardHistoryQuery = ListParams<NoFilter>;
