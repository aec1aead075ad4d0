//! Announcements in the API, and their validation.

use db_kit::Record;
use http_kit::{FieldProblem, ListFilter, ListParams};
use kernel::{Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::check::Check;

const MAX_TITLE: usize = 100;
const MAX_TEXT: usize = 5000;

/// An announcement.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "announcements")]
pub(crate) struct Announcement {
    pub(super) id: String,
    pub(super) title: String,
    /// Plain text with line breaks; may be empty.
    pub(super) content: String,
    /// Stands above the others and is marked.
    pub(super) important: bool,
    /// The administrator's username.
    #[record(insert_only)]
    pub(super) author: String,
    #[record(insert_only)]
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
    /// Shown until then; null: until it is deleted.
    pub(super) until: Option<Timestamp>,
}

/// An announcement to make, or the replacement of an old one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnnouncementForm {
    /// 1 to 100 characters.
    pub(super) title: String,
    /// At most 5000 characters.
    #[serde(default)]
    pub(super) content: String,
    #[serde(default)]
    pub(super) important: bool,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) until: Option<Timestamp>,
}

/// Which announcements.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnnouncementFilter {
    /// Also those that are over; for administrators only, others are not shown them anyhow.
    pub(super) over: Option<bool>,
}

impl ListFilter for AnnouncementFilter {}

/// The query of the list.
pub(crate) type AnnouncementQuery = ListParams<AnnouncementFilter>;

impl AnnouncementForm {
    /// `until` must lie after `after`.
    pub(super) fn faults(&self, after: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        let title = self.title.trim();
        check
            .that(
                !title.is_empty() && rules::is_line(title, MAX_TITLE),
                "title",
                "标题为 1 到 100 个字，不能有控制字符",
            )
            .that(rules::is_text(&self.content, MAX_TEXT), "content", "最多 5000 个字，不能有控制字符")
            .that(self.until.is_none_or(|until| until > after), "until", "应晚于现在");
        check.faults()
    }
}
