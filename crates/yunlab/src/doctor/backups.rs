//! How old the last backup is, and whether the disk's death would take it along.

use std::time::Duration;

use kernel::{Clock, SystemClock, Timestamp};
use portal::{BackupFacts, Portal};

use super::{Finding, Verdict};
use crate::backup::Folder;
use crate::config::Config;

/// One is made every day.
const TOO_OLD: Duration = Duration::from_secs(3 * 24 * 3600);
const PART: &str = "备份";
const FILES: &str = "文件的备份";

/// Checks the backups of the database and of the files.
pub(super) async fn look(config: &Config, portal: &Portal, running_for: Option<Duration>) -> Vec<Finding> {
    let facts = match portal.backup_facts().await {
        Ok(facts) => facts,
        Err(error) => return vec![Finding::of(PART, Err(error))],
    };
    let (folder, now) = (config.backups(), SystemClock.now());
    let mut found = vec![database(&folder, &facts, running_for, now)];
    if folder.keep > 0 {
        found.extend(folder.check().err().map(|error| Finding::of(PART, Err(error))));
        let is_local = config.database_url().is_ok_and(|url| url.is_none_or(|url| url.expose().starts_with("sqlite:")));
        if is_local && folder.is_beside_data() {
            let words = format!(
                "{} 与数据在同一个文件系统上，磁盘损坏时会一起丢失。请用 backup_dir 放到别的磁盘，或者另存一份",
                folder.dir.display()
            );
            found.push(Finding::new(Verdict::Warning, PART, words));
        }
    }
    found.extend(files(&facts, now));
    found
}

fn database(folder: &Folder, facts: &BackupFacts, running_for: Option<Duration>, now: Timestamp) -> Finding {
    let age = facts.database.map(|at| since(at, now));
    let last = age.map_or_else(|| "还没有备份".to_owned(), |age| format!("上次成功的备份：{}", ago(age)));
    if folder.keep == 0 {
        return Finding::new(Verdict::Warning, PART, format!("{last}。定时备份已关闭（backup_keep = 0）"));
    }
    // Without a backup, the age of the installation.
    let unsaved = age.or_else(|| facts.installed.map(|at| since(at, now))).unwrap_or_default();
    let words = match &facts.failure {
        Some(why) => format!("{last}，之后失败：{why}"),
        None => last,
    };
    if unsaved <= TOO_OLD {
        let verdict = if facts.failure.is_some() { Verdict::Warning } else { Verdict::Sound };
        return Finding::new(verdict, PART, words);
    }
    match running_for {
        Some(running) if running > TOO_OLD => {
            Finding::new(Verdict::Fault, PART, format!("{words}。请查看“系统设置 → 备份”"))
        }
        Some(_) => Finding::new(Verdict::Warning, PART, format!("{words}。服务刚启动，正在备份")),
        None => Finding::new(Verdict::Warning, PART, format!("{words}。服务运行时每天自动备份")),
    }
}

/// Only where a script once reported one.
fn files(facts: &BackupFacts, now: Timestamp) -> Option<Finding> {
    let age = since(facts.files?, now);
    let verdict = if age > TOO_OLD { Verdict::Warning } else { Verdict::Sound };
    Some(Finding::new(verdict, FILES, format!("上次成功的备份：{}", ago(age))))
}

fn since(at: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(now.as_millis() - at.as_millis()).unwrap_or_default())
}

fn ago(age: Duration) -> String {
    match age.as_secs() / 60 {
        0 => "刚才".to_owned(),
        minutes @ ..120 => format!("{minutes} 分钟前"),
        minutes @ ..2880 => format!("{} 小时前", minutes / 60),
        minutes => format!("{} 天前", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HOUR: u64 = 3600;

    #[rstest]
    #[case::new(None, 2, Some(2), Verdict::Sound, "还没有备份")]
    #[case::never(None, 80, Some(80), Verdict::Fault, "还没有备份")]
    #[case::never_after_a_stop(None, 80, Some(1), Verdict::Warning, "正在备份")]
    #[case::daily(Some(20), 999, Some(999), Verdict::Sound, "20 小时前")]
    #[case::old(Some(80), 999, Some(999), Verdict::Fault, "3 天前")]
    #[case::old_and_stopped(Some(80), 999, None, Verdict::Warning, "3 天前")]
    fn an_old_backup_is_a_fault(
        #[case] backup: Option<u64>,
        #[case] installed: u64,
        #[case] running: Option<u64>,
        #[case] verdict: Verdict,
        #[case] word: &str,
    ) {
        let now = Timestamp::from_millis(1_795_168_800_000);
        let before = |hours: u64| now.minus(Duration::from_secs(hours * HOUR));
        let facts = BackupFacts {
            database: backup.map(before),
            files: None,
            failure: None,
            installed: Some(before(installed)),
        };
        let folder = |keep| Folder { dir: "/b".into(), data_dir: "/d".into(), keep, key_file: None };
        let running = running.map(|hours| Duration::from_secs(hours * HOUR));
        let found = database(&folder(14), &facts, running, now);
        assert_eq!(found.verdict, verdict, "{found:?}");
        assert!(found.words.contains(word), "{found:?}");
        assert_eq!(database(&folder(0), &facts, running, now).verdict, Verdict::Warning, "switched off");
    }
}
