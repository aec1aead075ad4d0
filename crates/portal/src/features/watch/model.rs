//! Findings in the API, and administrators' decisions; without I/O. The evidence comes from `signs`.

use db_kit::Record;
use http_kit::{FieldProblem, ListFilter, ListParams};
use kernel::{Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::check::Check;

const LONGEST_NOTE: usize = 500;

/// By what something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindingKind {
    /// The name of a program.
    Name,
    /// A part of a command line.
    Command,
    /// A connection to a port of pools.
    Port,
    /// What a card does over hours.
    Pattern,
}

/// The administrators' decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindingState {
    /// Not decided yet.
    Open,
    Confirmed,
    /// A false alarm: it suspends nothing any more.
    Dismissed,
}

/// A sign of mining that was found, once for an instance however often it was seen.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "findings")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(super) id: String,
    #[record(columns, insert_only)]
    pub(super) instance: FindingInstance,
    /// The owner.
    #[record(insert_only)]
    pub(super) username: String,
    /// The server's name.
    #[record(column = "server_name", insert_only)]
    pub(super) server: String,
    #[record(insert_only)]
    pub(super) image: String,
    #[record(word, insert_only)]
    pub(super) kind: FindingKind,
    /// Which rule it matched, such as `xmrig`.
    #[record(insert_only)]
    pub(super) rule: String,
    /// What was seen. Programs choose their words themselves: not to be believed, only to be read.
    #[record(insert_only)]
    pub(super) detail: String,
    /// Looks that saw it, one every 20 s or, for what a card does, every minute.
    #[record(insert_only)]
    pub(super) count: i64,
    #[record(insert_only)]
    pub(super) first_seen: Timestamp,
    #[record(insert_only)]
    pub(super) last_seen: Timestamp,
    /// When the instance was last suspended for it; absent: never.
    #[record(insert_only)]
    pub(super) paused: Option<Timestamp>,
    #[record(word)]
    pub(super) state: FindingState,
    /// The administrator who did so; empty if none has.
    pub(super) handler: String,
    pub(super) note: String,
    pub(super) handled: Option<Timestamp>,
}

/// Where it was found.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
pub(crate) struct FindingInstance {
    #[record(column = "instance_id")]
    pub(super) id: String,
    #[record(column = "instance_name")]
    pub(super) name: String,
    /// It is suspended now, for whatever reason.
    // The feature of instances fills it in.
    #[record(skip)]
    pub(super) suspended: bool,
}

/// What an administrator says of a finding.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindingDecision {
    pub(super) state: FindingState,
    /// At most 500 characters.
    #[serde(default)]
    pub(super) note: String,
    /// The state that the page showed: 409 when another administrator has decided meanwhile.
    pub(super) from: FindingState,
}

/// Filters of the findings.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindingFilter {
    #[param(inline)]
    pub(super) state: Option<FindingState>,
    #[param(inline)]
    pub(super) kind: Option<FindingKind>,
}

impl ListFilter for FindingFilter {
    const SORTS: &'static str = "`lastSeen`, `firstSeen`, `count` or `username`.";
    const WORDS: &'static str = "In owner, instance, image, rule or evidence.";
}

/// The query of the list.
pub(crate) type FindingQuery = ListParams<FindingFilter>;

impl FindingKind {
    /// Whether it may suspend an instance.
    pub(super) const fn is_sure(self) -> bool {
        matches!(self, Self::Name | Self::Command)
    }

    /// For people.
    pub(super) const fn called(self) -> &'static str {
        match self {
            Self::Name => "挖矿程序",
            Self::Command => "挖矿命令行",
            Self::Port => "矿池端口",
            Self::Pattern => "显卡规律",
        }
    }
}

impl FindingState {
    /// For people.
    pub(super) const fn called(self) -> &'static str {
        match self {
            Self::Open => "未处理",
            Self::Confirmed => "已确认",
            Self::Dismissed => "误报",
        }
    }
}

impl FindingDecision {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.that(rules::is_text(&self.note, LONGEST_NOTE), "note", "最多 500 个字，不能有控制字符");
        check.faults()
    }
}
