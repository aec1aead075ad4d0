//! Users whose quota of the network disk is nearly used up, by the disk's reports. Datasets count to their owners.

use std::time::Duration;

use http_kit::ApiResult;

use super::size;
use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::users;

const WARNING_PERCENT: u64 = 90;
/// Below this, there is room again.
const FINE_PERCENT: u64 = 85;

pub(super) async fn look(portal: &Portal) -> ApiResult<Vec<Condition>> {
    let uses = portal.disk_uses();
    let people = users::with_disk_quota(portal.db()).await?;
    let conditions = people.into_iter().filter_map(|person| {
        let reading = match uses.of(person.id, portal.now()) {
            // The disk has not reported since the start, or not for long.
            None => Reading::Unsure,
            Some(used) => reading(&person.username, used, person.disk_quota.unsigned_abs())?,
        };
        Some(Condition { kind: AlertKind::QuotaFull, object: person.id.to_string(), reading })
    });
    Ok(conditions.collect())
}

/// `None`: there is room.
fn reading(username: &str, used: u64, quota: u64) -> Option<Reading> {
    let percent = used.saturating_mul(100).checked_div(quota).unwrap_or_default();
    if percent < FINE_PERCENT {
        return None;
    }
    if percent < WARNING_PERCENT {
        return Some(Reading::Unsure);
    }
    let (severity, words) = if used >= quota {
        (AlertSeverity::Critical, "已用完网盘配额，不能再增加内容")
    } else {
        (AlertSeverity::Warning, "的网盘配额快用完了")
    };
    let words = format!("{username} {words}：已用 {}，共 {}", size(used), size(quota));
    let link = "/users/user_list".to_owned();
    Some(Reading::Faulty(Fault { severity, name: username.to_owned(), words, link, after: Duration::ZERO }))
}
