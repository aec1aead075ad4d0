//! The clocks of the leading portal's machine and of separate storage hosts.

use std::time::Duration;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity, STORAGE_HOST};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::clock::{self, HeldHost};

pub(super) fn look(portal: &Portal) -> Vec<Condition> {
    let own = clock::doubt(portal).map(|difference| {
        let words = format!("{difference}，会删除数据或记账的任务已暂停。请核对时间");
        condition(portal.id().to_owned(), faulty(background::host_name(), words))
    });
    own.into_iter().chain(clock::held_hosts(portal).into_iter().map(of_host)).collect()
}

/// A host that does not report any more is unsure.
fn of_host(HeldHost { id, name, difference }: HeldHost) -> Condition {
    let reading = difference.map_or(Reading::Unsure, |difference| {
        let words = format!(
            "存储节点 {difference}，那里的清理回收站和中断的上传已暂停。请在这台机器上校准时间，与平台一致后自动恢复"
        );
        faulty(format!("存储节点 {name}"), words)
    });
    condition(format!("{STORAGE_HOST}{id}"), reading)
}

fn faulty(name: String, words: String) -> Reading {
    let (severity, link) = (AlertSeverity::Critical, "/settings/duties".to_owned());
    Reading::Faulty(Fault { severity, name, words, link, after: Duration::ZERO })
}

fn condition(object: String, reading: Reading) -> Condition {
    Condition { kind: AlertKind::ClockHeld, object, reading }
}
