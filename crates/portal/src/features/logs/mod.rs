//! The logs of sign-ins and of users' changes. Append-only; only administrators read them.
//!
//! Features record their own changes in the transaction that makes them ([`record`]); refusals are recorded by
//! [`failures`], a middleware.

mod acting;
mod actions;
mod csv_export;
mod disk;
mod http;
mod labels;
mod middleware;
mod model;
mod store;
mod store_disk;
mod store_refused;
mod store_rows;
mod tally;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use acting::{Acting, ActingAdministrator};
pub use actions::of as action_of;
pub(crate) use http::routes;
pub use labels::LABELS as ACTION_LABELS;
pub(crate) use middleware::failures;
pub(crate) use model::{LoginAction, LoginEvent, LoginLog, LoginOutcome, OperateLog, Operation};
pub(crate) use store::{
    DutyCall, count_failed_logins, recent_failures, recent_logins, record, record_duty, record_local, record_login,
    record_outcome, record_refused_login,
};
pub(crate) use store_refused::{RefusedLogins, refused_logins};
pub(crate) use store_rows::{Log, LogRow};
pub(crate) use tally::Tally;

use crate::Portal;
use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "refused-tries",
        title: "记录重复的失败",
        description: "把同一分钟内重复的登录失败和被拒绝的操作的次数写入日志",
        period: Duration::from_secs(5),
        scope: Scope::EveryProcess,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(portal.write_refusals().await?) }),
}];

impl Portal {
    fn refusals(&self) -> &Tally {
        self.part()
    }
}
