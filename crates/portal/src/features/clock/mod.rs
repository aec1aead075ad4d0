//! The trusted clock: the witnesses of the time, asked while the machine's clock is held, and the end of a hold.
//!
//! The clock itself is `kernel::GuardedClock`. This feature stores the marks that the next start compares its clock
//! with, asks the other witnesses (the database and the engines), and notifies administrators. Storage hosts judge their
//! own clocks and report them here, for alerts.

mod hosts;
mod http;
mod model;
mod watch;
mod witnesses;
mod words;

use std::time::Duration;

use background::{ClockMarks, Duty, Scope};

pub use hosts::StorageHostClock;
pub(crate) use hosts::{HeldHost, HostClocks, held_hosts};
pub(crate) use http::routes;
pub(crate) use watch::doubt;

use crate::duty::PortalDuty;

/// The last trusted time of each portal.
pub(crate) const MARKS: ClockMarks = ClockMarks::of("clock_marks");

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "clock",
        title: "核对系统时间",
        description: "与单调时钟、数据库和各服务器的时钟比对；时间跳变时暂停会删除数据或记账的任务，并通知管理员",
        period: Duration::from_secs(15),
        scope: Scope::EveryProcess,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(watch::look(&portal).await?) }),
}];
