//! Duties of the portal itself, which belong to no feature.

use std::time::Duration;

use background::{Duty, Scope};

use crate::duty::PortalDuty;
use crate::features::terminals;
use crate::jobs;

use super::journal;

pub(crate) const DUTIES: &[PortalDuty] = &[
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
