//! The clock of the leading portal's machine.

use std::time::Duration;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::clock;

pub(super) fn look(portal: &Portal) -> Option<Condition> {
    let difference = clock::doubt(portal)?;
    let fault = Fault {
        severity: AlertSeverity::Critical,
        name: background::host_name(),
        words: format!("{difference}，会删除数据或记账的任务已暂停。请核对时间"),
        link: "/settings/duties".to_owned(),
        after: Duration::ZERO,
    };
    Some(Condition { kind: AlertKind::ClockHeld, object: portal.id().to_owned(), reading: Reading::Faulty(fault) })
}
