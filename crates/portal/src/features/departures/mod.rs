//! Departures (人员离开): the handling of everything that a leaving user has, until the account is deleted.
//!
//! A departure is a plan, checked against the user's holdings (`holdings`), and one row for each item (`store`). The
//! leading portal handles the items step by step (`run`, `steps`); each step is idempotent, so that a restart resumes
//! with the rows. The disk queries its part (`home`). A plan can also wait until the account ends (`ends`). An account
//! whose owner has nothing left can also be deleted at once (`deletion`).

mod deletion;
mod ends;
mod file;
mod holdings;
mod home;
mod http;
mod http_deletion;
mod http_ends;
mod model;
mod policy;
mod run;
mod start;
mod steps;
mod store;
mod store_items;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;

use crate::duty::PortalDuty;
use crate::jobs::Orphan;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

/// Departures in the job table. Each step can be done twice.
pub(crate) const JOB_KIND: (&str, Orphan) = ("departure", Orphan::Again);

/// Homes that the disk is to deal with. As above.
pub(crate) const HOME_JOB_KIND: (&str, Orphan) = ("home", Orphan::Again);

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "departures",
    title: "已办完的人员离开",
    days: |settings| settings.log_days,
    rows: &[Rows { table: "departures", time: "ended", condition: "state = 'done'", counts: MILLIS }],
    drop: Drop::Rows,
}];

const DUTY: &str = "departures";

pub(crate) const DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: Duty {
            name: DUTY,
            title: "办理人员离开",
            description: "按离开计划逐项移交、保存或删除实例、数据集、镜像和文件，最后删除账号",
            period: Duration::from_secs(3),
            scope: Scope::Leader,
            needs_trusted_clock: false,
        },
        run: |portal| Box::pin(async move { Ok(run::look(&portal).await?) }),
    },
    PortalDuty { duty: ends::DUTY, run: |portal| Box::pin(async move { Ok(ends::look(&portal).await?) }) },
];
