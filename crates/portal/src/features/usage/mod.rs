//! Usage: the card-hours that users held and really used, by day and month, for themselves, their groups' leaders and
//! administrators.
//!
//! Leases and samples contain it, but samples are kept for a month only. So they are added up day by day into tables of
//! this feature ([`add_up`]), which are all that reports read. Days are in the lab's time zone, +08:00 ([`day`]).

mod day;
mod http;
mod ledger;
mod model;
mod store;
mod store_report;

use std::time::Duration;

use background::{Duty, Scope};
use kernel::Timestamp;

pub(crate) use http::routes;
pub(crate) use ledger::add_up;

use crate::duty::PortalDuty;
use crate::store_growing::{Counts, Drop, Growing, Rows};

use self::day::Day;

/// Days such as 20261120.
const LAB_DAYS: Counts = Counts {
    number: |at| Day::of(at).number(),
    time: |number| Day::from_number(number).map_or(Timestamp::from_millis(0), Day::start),
};

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "usage",
    title: "每日用量",
    days: |settings| settings.usage_days,
    rows: &[
        Rows { table: "usage_days", time: "day", condition: "", counts: LAB_DAYS },
        Rows { table: "usage_groups", time: "day", condition: "", counts: LAB_DAYS },
    ],
    drop: Drop::Rows,
}];

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
