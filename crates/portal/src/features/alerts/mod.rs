//! Alerts (告警): administrators are notified once of each fault of the lab, and once of its end.
//!
//! `conditions` finds faults by asking the features that own the facts. `tracker` compares them with the open episodes
//! in the database and returns the changes; `look` stores them and notifies. It runs as a duty of the leading portal.

mod conditions;
mod http;
mod look;
mod model;
mod store;
mod tracker;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use store::count_firing;
pub(crate) use tracker::Tracker;

use crate::Portal;
use crate::duty::PortalDuty;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "alerts",
    title: "已恢复的告警",
    days: |settings| settings.alert_days,
    rows: &[Rows { table: "alerts", time: "resolved", condition: "resolved is not null", counts: MILLIS }],
    drop: Drop::Rows,
}];

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "alerts",
        title: "检查告警",
        description: "检查服务器、显卡、磁盘、证书、备份、后台任务和登录，出现故障和恢复时通知管理员",
        period: Duration::from_secs(15),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(look::look(&portal).await?) }),
}];

impl Portal {
    fn alerts(&self) -> &Tracker {
        self.part()
    }
}
