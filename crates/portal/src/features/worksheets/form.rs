//! Forms of work orders, and their validation.

use http_kit::FieldProblem;
use kernel::{Timestamp, UserId, rules};
use serde::Deserialize;
use utoipa::ToSchema;

use super::attachment::{self, AttachmentForm};
use super::figures::{Figures, WorksheetCards, WorksheetQuotas};
use super::model::{WorksheetKind, WorksheetPriority};
use super::state::WorksheetState;
use crate::check::Check;

const MAX_TITLE: usize = 100;
const MAX_TEXT: usize = 5000;

/// A new order.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetForm {
    #[serde(rename = "type")]
    pub(super) kind: WorksheetKind,
    /// 1 to 100 characters.
    pub(super) title: String,
    /// 1 to 5000 characters.
    pub(super) content: String,
    #[serde(default)]
    pub(super) priority: WorksheetPriority,
    #[serde(default)]
    #[schema(max_items = 10)]
    pub(super) attachments: Vec<AttachmentForm>,
    /// The applicant's instance that it is about, by id.
    pub(super) instance: Option<String>,
    /// For the type `quota`.
    pub(super) quotas: Option<WorksheetQuotas>,
    /// For the type `cards`.
    pub(super) cards: Option<WorksheetCards>,
}

/// Changes to an order; what is left out stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetChange {
    /// Its requester's to change, as are the content and the figures, while it is open.
    pub(super) title: Option<String>,
    pub(super) content: Option<String>,
    pub(super) quotas: Option<WorksheetQuotas>,
    pub(super) cards: Option<WorksheetCards>,
    pub(super) priority: Option<WorksheetPriority>,
    pub(super) state: Option<WorksheetState>,
    /// An administrator's id; administrators only.
    pub(super) handler: Option<UserId>,
}

/// Something to say in a thread.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetReply {
    /// At most 5000 characters; may be empty beside attachments.
    pub(super) content: String,
    #[serde(default)]
    #[schema(max_items = 10)]
    pub(super) attachments: Vec<AttachmentForm>,
    /// Where to step with it.
    pub(super) state: Option<WorksheetState>,
}

/// Approves a request with these figures, which need not be those that were asked for; left out, with those.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetApproval {
    pub(super) quotas: Option<WorksheetQuotas>,
    /// When the quotas before return; left out: never.
    #[serde(default, rename = "quotasUntil")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) quotas_until: Option<Timestamp>,
    pub(super) cards: Option<WorksheetCards>,
    /// For the requester; may be empty.
    #[serde(default)]
    pub(super) comment: String,
}

/// Refuses a request.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetRejection {
    /// Why, for the requester.
    pub(super) reason: String,
}

/// How much of an order its reader has seen.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetSeen {
    /// The order's `news` as it was shown.
    pub(super) news: i64,
}

impl WorksheetForm {
    pub(super) fn figures(&self) -> Figures {
        Figures { quotas: self.quotas, cards: self.cards.clone() }
    }

    pub(super) fn faults(&self, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check_title(&mut check, &self.title);
        check_text(&mut check, &self.content, "content");
        check_attachments(&mut check, &self.attachments);
        let mut faults = check.faults();
        faults.extend(self.figures().faults(self.kind, now));
        faults
    }
}

impl WorksheetChange {
    /// Whether it changes a part that only the requester may write.
    pub(super) fn is_of_the_request(&self) -> bool {
        self.title.is_some() || self.content.is_some() || self.quotas.is_some() || self.cards.is_some()
    }

    /// Checks the given texts. Figures are checked after the merge.
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        if let Some(title) = &self.title {
            check_title(&mut check, title);
        }
        if let Some(content) = &self.content {
            check_text(&mut check, content, "content");
        }
        check.faults()
    }
}

impl WorksheetReply {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        if self.attachments.is_empty() {
            check_text(&mut check, &self.content, "content");
        } else {
            check_comment(&mut check, &self.content, "content");
        }
        check_attachments(&mut check, &self.attachments);
        check.faults()
    }
}

impl WorksheetApproval {
    pub(super) fn faults(&self, kind: WorksheetKind, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check_comment(&mut check, &self.comment, "comment");
        let fits = self.quotas_until.is_none() || kind == WorksheetKind::Quota;
        check.that(fits, "quotasUntil", "该类型的工单没有配额").that(
            self.quotas_until.is_none_or(|until| now < until),
            "quotasUntil",
            "到期时间已经过去",
        );
        check.faults()
    }
}

impl WorksheetRejection {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check_text(&mut check, &self.reason, "reason");
        check.faults()
    }
}

fn check_title(check: &mut Check, title: &str) {
    let fine = !title.trim().is_empty() && rules::is_line(title.trim(), MAX_TITLE);
    check.that(fine, "title", "标题为 1 到 100 个字，不能有控制字符");
}

fn check_text(check: &mut Check, text: &str, field: &str) {
    let fine = !text.trim().is_empty() && rules::is_text(text, MAX_TEXT);
    check.that(fine, field, "请填写 1 到 5000 个字，不能有控制字符");
}

fn check_comment(check: &mut Check, text: &str, field: &str) {
    check.that(rules::is_text(text, MAX_TEXT), field, "最多 5000 个字，不能有控制字符");
}

fn check_attachments(check: &mut Check, attachments: &[AttachmentForm]) {
    check.that(attachments.len() <= attachment::MOST, "attachments", "最多 10 个附件").that(
        attachments.iter().all(AttachmentForm::is_fine),
        "attachments",
        "附件应为网盘中的文件",
    );
}
