//! Background duties of instances and servers.

use std::time::Duration;

use background::{Duties, Duty, Scope};

use super::reconcile::{idle, keep, samples};
use super::{drain, frozen, held_folders, roots, store_reports};
use crate::duty::PortalDuty;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

const fn leaders(name: &'static str, title: &'static str, description: &'static str, seconds: u64) -> Duty {
    let period = Duration::from_secs(seconds);
    Duty { name, title, description, period, scope: Scope::Leader, needs_trusted_clock: false }
}

/// A duty that destroys something by the wall clock.
const fn trusted(name: &'static str, title: &'static str, description: &'static str, seconds: u64) -> Duty {
    Duty { needs_trusted_clock: true, ..leaders(name, title, description, seconds) }
}

/// Deleted instances take their history, ports and measurements along.
pub(crate) const GROWING: &[Growing] = &[
    Growing {
        name: "instances",
        title: "已释放的实例和状态记录",
        days: |settings| settings.instance_days,
        rows: &[
            Rows { table: "instances", time: "changed", condition: "state = 'released'", counts: MILLIS },
            Rows { table: "instance_states", time: "time", condition: "", counts: MILLIS },
        ],
        drop: Drop::Rows,
    },
    Growing {
        name: "instance-samples",
        title: "实例监测数据",
        days: |settings| settings.sample_days,
        rows: &[Rows { table: "instance_samples", time: "time", condition: "span = 60", counts: MILLIS }],
        drop: Drop::Rows,
    },
];

/// Duties that repeat by themselves.
pub(crate) const DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: trusted(
            "keep-times",
            "到期停止与释放",
            "停止到了停止时间的实例，释放超过保留期的实例；之前通知所有者",
            5,
        ),
        run: |portal| Box::pin(async move { Ok(keep::carry_out(&portal).await?) }),
    },
    PortalDuty {
        duty: trusted("drain-servers", "排空服务器", "在停机维护前一小时再次通知，到时停止还在运行的实例", 15),
        run: |portal| Box::pin(async move { Ok(drain::carry_out(&portal).await?) }),
    },
    PortalDuty {
        duty: trusted("idle-instances", "空闲实例检查", "找出长时间没有使用的实例，按设置提醒或停止", 60),
        run: |portal| Box::pin(async move { Ok(idle::look(&portal).await?) }),
    },
    PortalDuty {
        duty: leaders("group-folders", "收回组文件夹", "从已离开用户组的人的运行中实例里卸载该组的文件夹", 5),
        run: |portal| Box::pin(async move { Ok(held_folders::take_back(&portal).await?) }),
    },
    PortalDuty {
        duty: trusted("group-folder-ends", "到期收回组文件夹", "停止到期仍占用已退出的组的文件夹的实例", 30),
        run: |portal| Box::pin(async move { Ok(held_folders::end_due(&portal).await?) }),
    },
    PortalDuty {
        duty: leaders("instance-roots", "统计系统盘", "统计运行中实例的系统盘用量，每台服务器最多占用 5% 的时间", 30),
        run: |portal| Box::pin(async move { Ok(roots::count(&portal).await?) }),
    },
    PortalDuty {
        duty: trusted(
            "full-spaces",
            "冻结写满的实例",
            "空间用完且宽限期已过时，冻结仍在写入的实例；有空间后让它们继续",
            15,
        ),
        run: |portal| Box::pin(async move { Ok(frozen::carry_out(&portal).await?) }),
    },
    PortalDuty {
        duty: leaders("samples", "写入监测数据", "把实例和显卡的最新测量值写入数据库", 5),
        run: |portal| Box::pin(async move { Ok(samples::keep(&portal).await?) }),
    },
    PortalDuty {
        duty: trusted("condense-samples", "压缩监测数据", "把测量值合并成每分钟一个，删除过期的", 60),
        run: |portal| Box::pin(async move { Ok(samples::condense(&portal).await?) }),
    },
];

/// Duties that only matter where several portals share a database.
pub(crate) const PEER_DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: leaders("publish-servers", "发布服务器状态", "把各服务器的实时状态写入数据库，供其他平台显示", 5),
        run: |portal| Box::pin(async move { Ok(store_reports::write(&portal).await?) }),
    },
    PortalDuty {
        duty: Duty {
            scope: Scope::EveryProcess,
            ..leaders("adopt-servers", "读取服务器状态", "读取负责的平台发布的服务器状态", 2)
        },
        run: |portal| Box::pin(async move { Ok(store_reports::read(&portal).await?) }),
    },
];

/// Keeping a worker for each server.
pub(super) static SERVERS: Duty = leaders("servers", "照看服务器", "为每台服务器安排一个工作者，随服务器增减", 5);
/// A worker's look at its server's engine.
pub(super) static LOOKS: Duty =
    leaders("server-looks", "服务器巡检", "向容器引擎要完整的列表，让实例达到应有的状态；引擎有事件时立即进行", 5);
/// A worker's measurements.
pub(super) static USAGE: Duty = leaders("instance-usage", "测量实例", "测量运行中的实例所用的处理器、内存和网络", 5);
/// The same of cards.
pub(super) static CARDS: Duty = leaders("gpu-samples", "测量显卡", "读取显卡的利用率、显存、温度和功率", 5);
/// Faults of cards that samples do not show.
pub(super) static HEALTH: Duty =
    leaders("gpu-health", "显卡健康检查", "读取显存替换的状态和内核日志里的 Xid，有硬件故障的卡不再分给新实例", 30);
/// The same of machines.
pub(super) static MACHINES: Duty = leaders("machine-usage", "测量服务器", "测量服务器的处理器、内存和磁盘", 15);
/// Removing networks.
pub(super) static NETWORKS: Duty =
    leaders("instance-networks", "清理实例网络", "删除服务器上不再有实例使用的个人网络", 600);

/// Registers the duties that run at the pace of the servers' workers.
pub(crate) fn announce_duties(duties: &Duties) {
    for duty in [&SERVERS, &LOOKS, &USAGE, &CARDS, &HEALTH, &MACHINES, &NETWORKS] {
        duties.announce(duty);
    }
}
