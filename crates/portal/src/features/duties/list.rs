//! All duties, gathered from the features.

use std::time::Duration;

use background::{Duty, Scope};

use crate::duty::PortalDuty;
use crate::features::{
    alerts, audit, backups, clock, departures, disk_space, gpus, https, images, instances, logs, notices, retention,
    session, terminals, update, usage, watch,
};
use crate::jobs;

use super::journal;

/// Duties of the portal itself, which belong to no feature.
const OWN: &[PortalDuty] = &[
    PortalDuty {
        duty: Duty {
            name: "leases",
            title: "续期",
            description: "声明本平台正在执行的任务和打开的终端仍有人负责，其他平台不会接手",
            period: Duration::from_secs(60),
            scope: Scope::EveryProcess,
            needs_trusted_clock: false,
        },
        run: |portal| {
            Box::pin(async move {
                jobs::renew(&portal).await?;
                Ok(terminals::renew(&portal).await?)
            })
        },
    },
    PortalDuty {
        duty: Duty {
            name: "orphaned-jobs",
            title: "清理中断的任务",
            description: "执行者已不在的任务：不能重来的标记为中断，可以重来的重新排队",
            period: Duration::from_secs(60),
            scope: Scope::Leader,
            needs_trusted_clock: false,
        },
        run: |portal| Box::pin(async move { Ok(jobs::sweep_orphans(&portal).await?) }),
    },
    PortalDuty {
        duty: Duty {
            name: "duty-journal",
            title: "记录后台任务的结果",
            description: "把各后台任务的最近一次运行写入数据库，重启后和其他平台上也能看到",
            period: Duration::from_secs(15),
            scope: Scope::EveryProcess,
            needs_trusted_clock: false,
        },
        run: |portal| Box::pin(async move { Ok(journal::write(&portal).await?) }),
    },
];

/// All duties. `with_peers`: include those that only matter with several portals.
pub(super) fn all(with_peers: bool) -> impl Iterator<Item = &'static PortalDuty> {
    [
        if with_peers { instances::PEER_DUTIES } else { &[] },
        OWN,
        alerts::DUTIES,
        audit::DUTIES,
        backups::DUTIES,
        clock::DUTIES,
        departures::DUTIES,
        disk_space::DUTIES,
        gpus::DUTIES,
        https::DUTIES,
        images::DUTIES,
        instances::DUTIES,
        logs::DUTIES,
        notices::DUTIES,
        retention::DUTIES,
        session::DUTIES,
        terminals::DUTIES,
        update::DUTIES,
        usage::DUTIES,
        watch::DUTIES,
    ]
    .into_iter()
    .flatten()
}
