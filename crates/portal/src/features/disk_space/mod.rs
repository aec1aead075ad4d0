//! Usage of disk quotas and of instances' roots, by the last counts, and the consequences of full ones.
//!
//! The disk counts the usage of users and groups, with 5 % of a core, and reports it here ([`note`]);
//! `instances::roots` counts instances' roots. The quota's holder is notified at 90 % and at 100 %; from 100 % on,
//! nothing new starts. After the grace period of the settings, instances that still write are frozen
//! (`instances::frozen`) until there is room.

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
pub(crate) use counter::LentCounter;
pub(crate) use model::{LevelRow, SpaceHolder};
pub(crate) use note::{Count, note};
pub(crate) use project_looks::ProjectLooks;
pub(crate) use room::{due, full, level_of, levels_of, note_gone_on, refuse_full, restart_grace, was_full};
pub(crate) use tell::{amount, tell_frozen};
pub(crate) use uses::DiskUses;

use std::time::Duration;

use background::{Duty, Scope};

use crate::Portal;
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

/// The rows of deleted users, groups and instances, which get no new counts.
pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "disk-levels",
    title: "空间用量统计",
    days: |settings| settings.instance_days,
    rows: &[Rows { table: "disk_levels", time: "counted", condition: "", counts: MILLIS }],
    drop: Drop::Rows,
}];

impl Portal {
    /// The last reports of the disk on usage.
    pub(crate) fn disk_uses(&self) -> &DiskUses {
        self.part()
    }

    fn project_looks(&self) -> &ProjectLooks {
        self.part()
    }
}
