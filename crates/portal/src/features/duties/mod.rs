//! Background duties: which there are, which portal runs them, and their outcomes.
//!
//! Each feature declares its duties; [`list`] gathers them. `lead` keeps the leadership, under which a duty runs in
//! only one of several portals. `journal` stores the outcomes, so that another portal and a later process can show
//! them.

mod health;
mod http;
mod journal;
mod lead;
mod list;
mod model;
mod start;
mod store;
mod view;

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use health::{DutyHealth, FailedDuty, failed};
pub(crate) use http::routes;
pub(crate) use store::all as noted;

/// The tasks of the duties, and whether this portal leads.
#[derive(Debug, Default)]
pub(crate) struct DutyTasks {
    leads: AtomicBool,
    tasks: TaskTracker,
    stopping: CancellationToken,
    journal: journal::Journal,
}

impl DutyTasks {
    /// Whether this portal leads and runs the leader's duties.
    pub(crate) fn leads(&self) -> bool {
        self.leads.load(Ordering::SeqCst)
    }

    fn set_leads(&self, leads: bool) {
        self.leads.store(leads, Ordering::SeqCst);
        metrics::gauge!("yunlab_looks_after_servers").set(if leads { 1.0 } else { 0.0 });
    }
}
