//! The form of an allocation, and its validation.

use http_kit::FieldProblem;
use kernel::{Timestamp, rules};
use serde::Deserialize;
use utoipa::ToSchema;

use super::model::{AllocationLimits, Mode, SubjectKind};
use crate::check::Check;

/// An allocation to make, or the replacement of an old one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AllocationForm {
    /// The server's id.
    pub(crate) server: String,
    pub(crate) subject: SubjectKind,
    /// The user's or group's id; left out for everyone.
    pub(crate) subject_id: Option<i64>,
    pub(crate) mode: Mode,
    /// Cards by id; empty or left out is all of the server.
    #[serde(default)]
    #[schema(max_items = 64)]
    pub(crate) gpus: Vec<String>,
    #[serde(default)]
    pub(crate) limits: AllocationLimits,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) valid_from: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) valid_until: Option<Timestamp>,
    #[serde(default)]
    pub(crate) note: String,
}

impl AllocationForm {
    /// `ended`: the end of the changed allocation, which may stay even when it has passed.
    pub(super) fn faults(&self, now: Timestamp, ended: Option<Timestamp>) -> Vec<FieldProblem> {
        let mut check = Check::default();
        let everyone = self.subject == SubjectKind::Everyone;
        let in_order = self.valid_from.zip(self.valid_until).is_none_or(|(from, until)| from < until);
        check
            .that(everyone == self.subject_id.is_none(), "subjectId", "请选择用户或用户组")
            .that(!(everyone && self.mode == Mode::Exclusive), "mode", "对所有人不能是独占")
            .that(self.gpus.len() <= 64, "gpus", "最多 64 张显卡")
            .within(self.limits.instances, 0, 1000, "limits.instances")
            .within(self.limits.gpus, 0, 1000, "limits.gpus")
            .within(self.limits.cpu, 0, 1_000_000_000, "limits.cpu")
            .within(self.limits.memory, 0, 1 << 50, "limits.memory")
            .that(in_order, "validUntil", "结束时间应晚于开始时间")
            .that(
                !in_order || self.valid_until.is_none_or(|until| until > now || Some(until) == ended),
                "validUntil",
                "应晚于现在",
            )
            .that(rules::is_text(&self.note, 500), "note", "最多 500 个字，不能有控制字符");
        check.faults()
    }
}
