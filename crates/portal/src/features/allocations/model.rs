//! Allocations on the wire.

use db_kit::{Column, Record};
use http_kit::{ListFilter, ListParams};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// To whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SubjectKind {
    Everyone,
    User,
    Group,
}

/// Beside others, or instead of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Shared,
    Exclusive,
}

/// As whether it is exclusive.
impl Column for Mode {
    type Stored = bool;

    fn to_stored(&self) -> bool {
        *self == Self::Exclusive
    }

    fn from_stored(exclusive: bool) -> Result<Self, String> {
        Ok(if exclusive { Self::Exclusive } else { Self::Shared })
    }
}

/// What each person may hold on the server through an allocation; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Record, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AllocationLimits {
    #[record(column = "instance_limit")]
    pub(crate) instances: i64,
    #[record(column = "gpu_limit")]
    pub(crate) gpus: i64,
    /// Microseconds of CPU per 100 000 µs.
    #[record(column = "cpu_limit")]
    pub(crate) cpu: i64,
    /// Bytes.
    #[record(column = "memory_limit")]
    pub(crate) memory: i64,
}

/// An allocation as it is stored.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(table = "allocations")]
pub(crate) struct Allocation {
    pub(super) id: String,
    #[record(column = "server_id")]
    pub(super) server: String,
    #[record(word)]
    pub(super) subject: SubjectKind,
    pub(super) subject_id: Option<i64>,
    #[record(column = "exclusive")]
    pub(super) mode: Mode,
    /// Cards by id; empty is all of the server.
    #[record(json)]
    pub(super) gpus: Vec<String>,
    #[record(columns)]
    pub(super) limits: AllocationLimits,
    pub(super) valid_from: Option<Timestamp>,
    pub(super) valid_until: Option<Timestamp>,
    pub(super) note: String,
    #[record(insert_only)]
    pub(super) created: Timestamp,
}

impl Allocation {
    pub(super) fn is_valid_at(&self, at: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= at) && self.valid_until.is_none_or(|until| at < until)
    }

    pub(super) fn is_for(&self, user: i64, groups: &[i64]) -> bool {
        match (self.subject, self.subject_id) {
            (SubjectKind::Everyone, _) => true,
            (SubjectKind::User, Some(id)) => id == user,
            (SubjectKind::Group, Some(id)) => groups.contains(&id),
            (SubjectKind::User | SubjectKind::Group, None) => false,
        }
    }

    /// Whether both are in force at some moment.
    pub(super) fn overlaps_in_time(&self, other: &Self) -> bool {
        let before =
            |end: Option<Timestamp>, start: Option<Timestamp>| end.zip(start).is_some_and(|(end, start)| end <= start);
        !before(self.valid_until, other.valid_from) && !before(other.valid_until, self.valid_from)
    }

    /// Whether both speak of some card.
    pub(super) fn overlaps_in_cards(&self, other: &Self) -> bool {
        self.gpus.is_empty() || other.gpus.is_empty() || self.gpus.iter().any(|gpu| other.gpus.contains(gpu))
    }
}

/// An allocation as it is shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AllocationView {
    pub(super) id: String,
    /// The server's id.
    pub(super) server: String,
    pub(crate) server_name: String,
    pub(super) subject: SubjectKind,
    /// The user's or group's id; absent for everyone.
    pub(super) subject_id: Option<i64>,
    /// Username or group name; empty for everyone, and for a deleted user or group.
    pub(super) subject_name: String,
    pub(super) mode: Mode,
    /// Cards by id; empty is all of the server.
    pub(super) gpus: Vec<String>,
    pub(super) limits: AllocationLimits,
    pub(super) valid_from: Option<Timestamp>,
    pub(super) valid_until: Option<Timestamp>,
    /// Good at this moment.
    pub(super) valid: bool,
    pub(super) note: String,
    pub(super) created: Timestamp,
}

/// Filters of the list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllocationFilter {
    /// Of this server.
    pub(super) server: Option<String>,
    #[param(inline)]
    pub(super) subject: Option<SubjectKind>,
    /// Of this user or group.
    #[serde(rename = "subjectId")]
    pub(super) subject_id: Option<i64>,
}

impl ListFilter for AllocationFilter {
    const SORTS: &'static str = "`created`, `validFrom` or `validUntil`.";
}

/// The query of the list.
pub(crate) type AllocationQuery = ListParams<AllocationFilter>;
