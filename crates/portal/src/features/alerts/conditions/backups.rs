//! Backups that fail or grow old: those of the database, and those of the network disk's files where a script reports
//! them.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::Timestamp;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::backups::{self, BackupFacts, BackupMaker};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
/// One is made every day.
const WARNING_AFTER: u64 = 3 * DAY;
const CRITICAL_AFTER: u64 = 7 * DAY;
/// A portal that was stopped for days makes a backup soon after its start.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

pub(super) async fn look(portal: &Portal) -> ApiResult<Vec<Condition>> {
    let (facts, running) = backups::health(portal.db()).await?;
    let database = match portal.backup_maker() {
        Some(maker) => of_database(maker, &facts, running, portal.now()).await,
        None => None,
    };
    let files = facts.files.and_then(|at| of_files(at, portal.now()));
    let conditions = [("database", database), ("files", files)].into_iter().filter_map(|(object, reading)| {
        Some(Condition { kind: AlertKind::BackupOld, object: object.to_owned(), reading: reading? })
    });
    Ok(conditions.collect())
}

/// `None`: the last try succeeded, and not long ago. A new lab has as much time for its first backup.
async fn of_database(maker: &dyn BackupMaker, facts: &BackupFacts, running: bool, now: Timestamp) -> Option<Reading> {
    let last = match facts.database {
        Some(at) => format!("上次成功的备份在 {}", ago(seconds_since(at, now))),
        None => "还没有成功的备份".to_owned(),
    };
    let old = facts.database.or(facts.installed).and_then(|at| severity(seconds_since(at, now)));
    if let Some(why) = &facts.failure {
        let words = format!("数据库备份失败：{why}。{last}。排除原因后，请在“系统设置 → 备份”点“立即备份”");
        return Some(faulty("数据库", old.unwrap_or(AlertSeverity::Warning), words, Duration::ZERO));
    }
    let severity = old?;
    if running {
        return Some(Reading::Unsure);
    }
    let advice = if maker.place().await.keep > 0 {
        "平台应该每天备份一次，请查看“系统设置 → 备份”和“后台任务”"
    } else {
        "定时备份已关闭（backup_keep = 0），请打开，或者在“系统设置 → 备份”点“立即备份”"
    };
    Some(faulty("数据库", severity, format!("数据库没有新的备份：{last}。{advice}"), PATIENCE))
}

fn of_files(at: Timestamp, now: Timestamp) -> Option<Reading> {
    let age = seconds_since(at, now);
    let words = format!("网盘文件没有新的备份：上次成功的备份在 {}。请检查备份文件的脚本和定时任务", ago(age));
    Some(faulty("网盘文件", severity(age)?, words, PATIENCE))
}

fn severity(age: u64) -> Option<AlertSeverity> {
    match age {
        CRITICAL_AFTER.. => Some(AlertSeverity::Critical),
        WARNING_AFTER.. => Some(AlertSeverity::Warning),
        _ => None,
    }
}

fn seconds_since(at: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.as_millis() - at.as_millis()).unwrap_or_default() / 1000
}

fn ago(age: u64) -> String {
    match age {
        ..HOUR => "1 小时内".to_owned(),
        HOUR..WARNING_AFTER => format!("{} 小时前", age / HOUR),
        _ => format!("{} 天前", age / DAY),
    }
}

fn faulty(name: &str, severity: AlertSeverity, words: String, after: Duration) -> Reading {
    Reading::Faulty(Fault { severity, name: name.to_owned(), words, link: "/settings/backups".to_owned(), after })
}
