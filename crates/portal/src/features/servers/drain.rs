//! Draining a server (排空): nothing starts there any more, and at a set time what still runs is stopped. The instances'
//! side is `instances::drain`.

use db_kit::Record;
use http_kit::{ApiError, FieldProblem};
use kernel::{Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::Server;
use crate::check::Check;
use crate::lab_time;

/// A year ahead is no date.
const FARTHEST_MS: i64 = 366 * 24 * 3600 * 1000;

/// That a server is being emptied.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
pub(crate) struct Drain {
    /// When what still runs there is stopped.
    #[record(column = "drain_at")]
    pub(crate) at: Timestamp,
    /// What administrators say about it; may be empty.
    #[record(column = "drain_note")]
    pub(crate) note: String,
    /// Whether the notice shortly before was sent.
    #[serde(skip)]
    #[record(column = "drain_warned")]
    pub(crate) warned: bool,
}

/// How a server is to be emptied.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrainForm {
    /// When what still runs there is stopped.
    pub(crate) at: Timestamp,
    /// For all users who may use the server.
    #[serde(default)]
    pub(crate) note: String,
}

impl DrainForm {
    pub(crate) fn faults(&self, now: Timestamp) -> Vec<FieldProblem> {
        let ahead = self.at.as_millis() - now.as_millis();
        let mut check = Check::default();
        check.that((1..=FARTHEST_MS).contains(&ahead), "at", "时间应在一年之内，且晚于现在").that(
            rules::is_line(self.note.trim(), 200),
            "note",
            "说明最多 200 个字，不能有控制字符",
        );
        check.faults()
    }
}

impl Drain {
    /// `将于 11-26 18:00 停机维护：换电源`.
    pub(crate) fn words(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!("：{}", self.note) };
        format!("将于 {} 停机维护{note}", self.moment())
    }

    /// The time of the stop in the lab's time zone, as in `11-26 18:00`.
    pub(crate) fn moment(&self) -> String {
        lab_time::day_and_minute(self.at)
    }
}

/// Refuses to start anything on a server that is being emptied.
pub(crate) fn refuse_draining(server: &Server) -> Result<(), ApiError> {
    match &server.drain {
        None => Ok(()),
        Some(drain) => {
            let message = format!("服务器 {} {}，不能在上面启动实例", server.name, drain.words());
            Err(ApiError::conflict("server_draining", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_is_told_by_the_labs_time() {
        let at = "2026-11-26T17:30:00Z".parse().unwrap();
        let drain = Drain { at, note: "换电源".to_owned(), warned: false };
        assert_eq!(drain.words(), "将于 11-27 01:30 停机维护：换电源");
    }
}
