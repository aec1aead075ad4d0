//! What people used: card-hours that they held and really used, by day and month, for themselves, for
//! those who lead their groups, and for administrators.
//!
//! Leases and samples say it, but samples are kept for a month only. So they are added up, a day at a
//! time, into tables of this feature ([`add_up`]), and reports read nothing else. A day is one of the
//! lab's time, +08:00 ([`day`]).

mod day;
mod http;
mod ledger;
mod model;
mod store;
mod store_report;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use ledger::add_up;

use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "usage-ledger",
        title: "用量统计",
        description: "把租用和测量汇总成每人每天的用量",
        period: Duration::from_secs(60),
        scope: Scope::Leader,
        needs_trusted_clock: true,
    },
    run: |portal| Box::pin(async move { Ok(add_up(&portal).await?) }),
}];
