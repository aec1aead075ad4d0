//! Work that continues after the response: long copies and moves, extracting and packing archives. A task has an owner,
//! reports its progress, and can be cancelled; its result becomes visible when it is complete, so a cancelled or killed
//! task leaves nothing behind.
//!
//! Tasks live in memory. Long ones have a row in the job table as well, so that their owner is notified when a restart
//! interrupted them. Finished ones are kept for an hour.

mod archives;
mod http;
mod registry;
mod store;
mod task;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::{accepted, patience, routes};
pub(crate) use registry::{Job, Tasks};
pub(crate) use task::{Kind, TaskView};

use crate::host::Host;

static LEASES: Duty = Duty {
    name: "disk-tasks",
    title: "网盘任务续期",
    description: "声明本机正在执行的复制、移动、打包和解包仍有人负责；执行者已不在的告知其所有者",
    period: Duration::from_secs(60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Renews the leases of tasks until the disk stops.
pub(crate) fn keep_leases(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let sweep = async |host: Option<Host>| match host {
        Some(host) => Ok(host.tasks.sweep().await?),
        None => Ok(()),
    };
    tokio::spawn(async move { duties.repeat(&LEASES, stopped, || sweep(weak.upgrade())).await });
}
