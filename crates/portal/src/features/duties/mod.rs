//! Background duties: which there are, which portal runs them, and their outcomes.
//!
//! Each feature declares its duties; `duty_list` gathers them. `lead` keeps the leadership, under which a duty runs in
//! only one of several portals. `journal` stores the outcomes, so that another portal and a later process can show
//! them.

mod health;
mod http;
mod journal;
mod lead;
mod measure;
mod model;
mod own;
mod start;
mod store;
mod view;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use health::{DutyHealth, FailedDuty, failed};
pub(crate) use http::routes;
pub(crate) use own::DUTIES;
pub(crate) use store::all as noted;

use crate::Portal;

/// The tasks of the duties.
#[derive(Debug, Default)]
pub(crate) struct DutyTasks {
    tasks: TaskTracker,
    stopping: CancellationToken,
    journal: journal::Journal,
}

impl Portal {
    fn duty_tasks(&self) -> &DutyTasks {
        self.part()
    }
}
