//! Users and groups whose quota of the network disk is nearly used up, by the disk's reports. Datasets count to their
//! owners.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::dataset::DiskHolder;

use super::size;
use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::{groups, users};

const WARNING_PERCENT: u64 = 90;
/// Below this, there is room again.
const FINE_PERCENT: u64 = 85;

/// The holder of a quota.
struct Holder {
    id: DiskHolder,
    object: String,
    name: String,
    link: String,
    quota: u64,
}

pub(super) async fn look(portal: &Portal) -> ApiResult<Vec<Condition>> {
    let uses = portal.disk_uses();
    let people = users::with_disk_quota(portal.db()).await?.into_iter().map(Holder::from);
    let groups = groups::with_disk_quota(portal.db()).await?.into_iter().map(Holder::from);
    let conditions = people.chain(groups).filter_map(|holder| {
        let reading = match uses.of(holder.id, portal.now()) {
            // The disk has not reported since the start, or not for long.
            None => Reading::Unsure,
            Some(used) => reading(&holder, used)?,
        };
        Some(Condition { kind: AlertKind::QuotaFull, object: holder.object, reading })
    });
    Ok(conditions.collect())
}

impl From<users::WithDiskQuota> for Holder {
    fn from(person: users::WithDiskQuota) -> Self {
        Self {
            id: DiskHolder::User(person.id),
            object: person.id.to_string(),
            name: person.username,
            link: "/users/user_list".to_owned(),
            quota: person.disk_quota.unsigned_abs(),
        }
    }
}

impl From<groups::WithDiskQuota> for Holder {
    fn from(group: groups::WithDiskQuota) -> Self {
        Self {
            id: DiskHolder::Group(group.id),
            object: format!("group:{}", group.id),
            name: format!("用户组 {}", group.name),
            link: format!("/users/group_list?panel=edit&id={}", group.id),
            quota: group.disk_quota.unsigned_abs(),
        }
    }
}

/// `None`: there is room.
fn reading(holder: &Holder, used: u64) -> Option<Reading> {
    let percent = used.saturating_mul(100).checked_div(holder.quota).unwrap_or_default();
    if percent < FINE_PERCENT {
        return None;
    }
    if percent < WARNING_PERCENT {
        return Some(Reading::Unsure);
    }
    let (severity, words) = if used >= holder.quota {
        (AlertSeverity::Critical, "已用完网盘配额，不能再增加内容")
    } else {
        (AlertSeverity::Warning, "的网盘配额快用完了")
    };
    let words = format!("{} {words}：已用 {}，共 {}", holder.name, size(used), size(holder.quota));
    let (name, link) = (holder.name.clone(), holder.link.clone());
    Some(Reading::Faulty(Fault { severity, name, words, link, after: Duration::ZERO }))
}
