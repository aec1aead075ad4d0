//! Work orders on the wire and as they are kept.

use db_kit::{Column, Record};
use http_kit::{ListFilter, ListParams};
use kernel::{Actor, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::attachment::{Attachment, WorksheetAttachment};
use super::figures::{Figures, WorksheetCards, WorksheetQuotas};
use super::state::WorksheetState;

/// What an order is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorksheetKind {
    Account,
    /// Other quotas; carries figures.
    Quota,
    /// Cards to use; carries figures.
    Cards,
    Image,
    Dataset,
    Port,
    Fault,
    Other,
}

/// How much it presses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorksheetPriority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

impl WorksheetPriority {
    /// By which lists are sorted.
    pub(super) const fn rank(self) -> i64 {
        match self {
            Self::Low => 0,
            Self::Normal => 1,
            Self::High => 2,
            Self::Urgent => 3,
        }
    }

    /// For people.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Low => "低",
            Self::Normal => "普通",
            Self::High => "高",
            Self::Urgent => "紧急",
        }
    }
}

/// As its rank.
impl Column for WorksheetPriority {
    type Stored = i64;

    fn to_stored(&self) -> i64 {
        self.rank()
    }

    fn from_stored(rank: i64) -> Result<Self, String> {
        let all = [Self::Low, Self::Normal, Self::High, Self::Urgent];
        let found = all.into_iter().find(|priority| priority.rank() == rank);
        found.ok_or_else(|| format!("no priority has the rank {rank}"))
    }
}

/// The decision on a request with figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorksheetDecision {
    Approved,
    Rejected,
}

/// A work order as it is stored.
#[derive(Clone, Debug, Record)]
#[record(table = "worksheets")]
pub(super) struct Worksheet {
    #[record(read_only)]
    pub(super) number: i64,
    pub(super) id: String,
    #[record(word, insert_only)]
    pub(super) kind: WorksheetKind,
    pub(super) title: String,
    pub(super) content: String,
    #[record(json, insert_only)]
    pub(super) attachments: Vec<Attachment>,
    #[record(word)]
    pub(super) state: WorksheetState,
    pub(super) priority: WorksheetPriority,
    #[record(columns("requester_id", "requester"), insert_only)]
    pub(super) requester: Named,
    #[record(columns("handler_id", "handler"))]
    pub(super) handler: Option<Named>,
    /// The id of its instance; empty: it has none.
    #[record(insert_only)]
    pub(super) instance_id: String,
    /// The name of its instance.
    #[record(insert_only)]
    pub(super) instance: String,
    #[record(json)]
    pub(super) figures: Figures,
    #[record(word)]
    pub(super) decision: Option<WorksheetDecision>,
    pub(super) news: i64,
    /// How much of it the reader has seen; less than nothing: they never looked.
    #[record(computed)]
    pub(super) seen: i64,
    #[record(insert_only)]
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
}

impl Worksheet {
    /// Its number and title, by which people know it.
    pub(super) fn heading(&self) -> String {
        format!("#{} {}", self.number, self.title)
    }
}

/// A person by number and by the username that they had.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
pub(super) struct Named {
    pub(super) id: UserId,
    pub(super) username: String,
}

impl Named {
    pub(super) fn of(actor: &Actor) -> Self {
        Self { id: actor.id, username: actor.username.clone() }
    }
}

/// What an entry of the thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorksheetEntryKind {
    /// A reply.
    Reply,
    /// A change of the state.
    State,
    /// Approved; the content has the change.
    Approved,
    /// Refused; the content has the reason.
    Rejected,
    /// A change of the order; the content has the change.
    Changed,
}

/// A new entry of a thread.
#[derive(Clone, Debug)]
pub(super) struct NewEntry {
    pub(super) kind: WorksheetEntryKind,
    pub(super) content: String,
    pub(super) attachments: Vec<Attachment>,
    pub(super) step: Option<(WorksheetState, WorksheetState)>,
}

impl NewEntry {
    /// Words alone.
    pub(super) fn plain(kind: WorksheetEntryKind, content: String) -> Self {
        Self { kind, content, attachments: Vec::new(), step: None }
    }
}

/// Who wrote or handles something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WorksheetPerson {
    pub(super) id: UserId,
    pub(super) username: String,
    /// Empty also for a deleted user.
    pub(super) name: String,
}

/// The instance that an order is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WorksheetInstance {
    pub(super) id: String,
    pub(super) name: String,
}

/// A work order as it is shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorksheetView {
    pub(super) id: String,
    /// What people call it by.
    pub(super) number: i64,
    #[serde(rename = "type")]
    pub(super) kind: WorksheetKind,
    pub(super) title: String,
    pub(super) content: String,
    pub(super) attachments: Vec<WorksheetAttachment>,
    pub(super) state: WorksheetState,
    pub(super) priority: WorksheetPriority,
    pub(super) requester: WorksheetPerson,
    pub(super) handler: Option<WorksheetPerson>,
    pub(super) instance: Option<WorksheetInstance>,
    /// What a request for quotas asks for.
    pub(super) quotas: Option<WorksheetQuotas>,
    /// What a request for cards asks for.
    pub(super) cards: Option<WorksheetCards>,
    pub(super) decision: Option<WorksheetDecision>,
    /// How often something happened to it; to be handed back as seen.
    pub(super) news: i64,
    /// Something happened that the reader has not seen.
    pub(super) unread: bool,
    #[serde(rename = "Created")]
    pub(super) created: Timestamp,
    #[serde(rename = "Updated")]
    pub(super) updated: Timestamp,
}

/// An entry of an order's thread.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct WorksheetEntry {
    pub(super) id: i64,
    pub(super) time: Timestamp,
    pub(super) author: WorksheetPerson,
    pub(super) kind: WorksheetEntryKind,
    pub(super) content: String,
    pub(super) attachments: Vec<WorksheetAttachment>,
    /// Where a step began; null when there was none.
    pub(super) from: Option<WorksheetState>,
    /// Where it led.
    pub(super) to: Option<WorksheetState>,
}

/// An order with its thread.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct WorksheetDetail {
    #[serde(flatten)]
    pub(super) worksheet: WorksheetView,
    /// Oldest first.
    pub(super) thread: Vec<WorksheetEntry>,
    /// What the requester may hold and holds now; null when they are gone.
    pub(super) holdings: Option<WorksheetHoldings>,
}

/// What the user may hold, and what they hold now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WorksheetHoldings {
    pub(super) quotas: crate::features::settings::Quotas,
    pub(super) instances: i64,
    pub(super) gpus: i64,
    /// Microseconds of CPU per 100 000 µs.
    pub(super) cpu: i64,
    /// Bytes.
    pub(super) memory: i64,
}

/// Orders, and how many there are.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct WorksheetList {
    /// Open orders (`undo` and `doing`), whatever the filters: all for administrators, else the caller's own.
    #[serde(rename = "UnDoTotal")]
    pub(super) undo_total: i64,
    #[serde(rename = "Worksheets")]
    pub(super) worksheets: Vec<WorksheetView>,
    /// All that the filters let through.
    pub(super) total: i64,
    /// The caller's own orders with unseen changes, whatever the filters.
    pub(super) unread: i64,
    /// By state, of what the other filters let through.
    pub(super) counts: WorksheetCounts,
}

/// How many orders are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WorksheetCounts {
    pub(super) undo: i64,
    pub(super) doing: i64,
    pub(super) done: i64,
    pub(super) closed: i64,
}

/// Filters of the list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetFilter {
    #[param(inline)]
    pub(super) state: Option<WorksheetState>,
    /// Those that are `undo` or `doing`, or those that are neither.
    pub(super) open: Option<bool>,
    #[serde(rename = "type")]
    #[param(inline)]
    pub(super) kind: Option<WorksheetKind>,
    #[param(inline)]
    pub(super) priority: Option<WorksheetPriority>,
    /// Of this person.
    pub(super) requester: Option<UserId>,
    /// Handled by this person.
    pub(super) handler: Option<UserId>,
    /// Only the caller's own.
    pub(super) mine: Option<bool>,
}

impl ListFilter for WorksheetFilter {
    const SORTS: &'static str =
        "`Updated`, `Created`, `number`, `priority` or `state`; by itself the last change first.";
    const WORDS: &'static str = "In the number (`12` or `#12`), the title, or the requester's names.";
    const MOST_WORDS: Option<usize> = Some(200);
}

/// The query of the list.
pub(crate) type WorksheetQuery = ListParams<WorksheetFilter>;
