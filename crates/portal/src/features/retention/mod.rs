//! Retention. Each feature declares its growing tables (`store_growing.rs`); once an hour the leading portal deletes
//! rows that are older than the settings allow, unless the clock is not trusted.

mod http;
mod list;
mod model;
mod run;
mod store;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;

use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "retention",
        title: "清理过期数据",
        description: "删除超过保留时间的日志、监测数据、用量、通知和任务记录，时间在“数据保留”中设置",
        period: Duration::from_secs(3600),
        scope: Scope::Leader,
        needs_trusted_clock: true,
    },
    run: |portal| Box::pin(async move { run::run(&portal).await }),
}];
