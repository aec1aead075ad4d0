//! How full the quotas of the network disk and the roots of instances are, as they were counted last, and what follows.
//!
//! The disk counts what people and groups take, at 5 % of a core, and tells it here ([`note`]); instances' roots are
//! counted by `instances::roots`. The holder of the quota is told at 90 % and at 100 %, when nothing new starts either.
//! After a grace period of the settings what still writes is frozen (`instances::frozen`), until there is room.

mod counter;
mod limits;
mod model;
mod note;
mod project_looks;
mod room;
mod store;
mod store_limits;
mod tell;
mod uses;

pub use counter::DiskCounter;
pub(crate) use model::{LevelRow, SpaceHolder};
pub(crate) use note::{Count, note};
pub(crate) use project_looks::ProjectLooks;
pub(crate) use room::{due, full, level_of, levels_of, note_gone_on, refuse_full, restart_grace, was_full};
pub(crate) use tell::{amount, tell_frozen};
pub(crate) use uses::DiskUses;

use std::time::Duration;

use background::{Duty, Scope};

use crate::duty::PortalDuty;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "project-limits",
        title: "设置项目配额",
        description: "网盘所在的文件系统支持并已在设置中打开时，由主机助手设置每个人和每个组的项目配额",
        period: Duration::from_secs(60),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { limits::carry_out(&portal).await }),
}];

/// Of people, groups and instances that are gone nothing is counted any more.
pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "disk-levels",
    title: "空间用量统计",
    days: |settings| settings.instance_days,
    rows: &[Rows { table: "disk_levels", time: "counted", condition: "", counts: MILLIS }],
    drop: Drop::Rows,
}];
