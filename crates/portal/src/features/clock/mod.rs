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

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use background::{ClockMarks, Duty, Scope};

pub(crate) use hosts::{HeldHost, HostClocks, hear_peers, held_hosts};
pub(crate) use http::routes;
pub(crate) use watch::doubt;

use crate::Portal;
use crate::duty::PortalDuty;

/// The last trusted time of each portal.
pub(crate) const MARKS: ClockMarks = ClockMarks::of("clock_marks");

/// Whether the last notice about the clock said that it is held.
#[derive(Debug, Default)]
pub(crate) struct ToldHeld(AtomicBool);

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

impl Portal {
    /// The clocks of storage hosts, as they reported them last.
    fn host_clocks(&self) -> &HostClocks {
        self.part()
    }

    fn told_held(&self) -> &AtomicBool {
        &self.part::<ToldHeld>().0
    }
}
