//! Checks of the portal's database: accounts, clock, servers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{bail, ensure};
use background::MachineClocks;
use kernel::GuardedClock;
use portal::{Inspection, Portal, ServerInspection};

use super::{Finding, Report, Verdict, backups, https};
use crate::config::Config;
use crate::{admin, data};

/// Clocks are corrected by less every day; tokens and certificates tolerate more.
const MOST_APART_MS: i64 = 60_000;

/// Runs all of these checks.
pub(super) async fn look(config: &Config, running_for: Option<Duration>, report: &mut Report<'_>) {
    let portal = match open(config).await {
        Ok(portal) => portal,
        Err(error) => return report.note(&Finding::of("数据库", Err(error))),
    };
    report.note(&Finding::new(Verdict::Sound, "数据库", "可以连接，结构为最新"));
    report.note(&Finding::of("账号", accounts(&portal).await));
    report.note_all(https::look(config, &portal).await);
    report.note_all(backups::look(config, &portal, running_for).await);
    match portal.inspect().await {
        Ok(found) => {
            report.note(&clock(&found));
            report.note_all(found.servers.iter().map(server));
        }
        Err(error) => report.note(&Finding::of("服务器", Err(error))),
    }
}

/// With a clock that compares itself with the portal's last mark.
async fn open(config: &Config) -> anyhow::Result<Portal> {
    ensure!(Path::is_dir(&config.data_dir), "没有数据目录 {}", config.data_dir.display());
    let db = data::open_database(config).await?;
    admin::open_with(config, db, Arc::new(GuardedClock::new(MachineClocks))).await
}

async fn accounts(portal: &Portal) -> anyhow::Result<String> {
    let counts = portal.user_summary().await?;
    if counts.admins == 0 {
        bail!("没有管理员，请运行 yunlab admin create 用户名");
    }
    Ok(format!("共 {} 个，管理员 {} 个", counts.total, counts.admins))
}

fn clock(found: &Inspection) -> Finding {
    let part = "系统时间";
    if found.clock_held {
        let words = "与平台上次记录的时间不符，会删除数据或记账的任务已暂停。请校准时间，或在“系统设置 → 后台任务”确认";
        return Finding::new(Verdict::Fault, part, words);
    }
    if let Some(ahead) = found.ahead_of_database.filter(|ahead| ahead.abs() > MOST_APART_MS) {
        return Finding::new(Verdict::Fault, part, format!("本机比数据库服务器{}。请校准时间", apart(ahead)));
    }
    Finding::new(Verdict::Sound, part, "与上次运行和数据库的时间相符")
}

fn server(server: &ServerInspection) -> Finding {
    let part = format!("服务器 {}", server.name);
    let ahead = match &server.ahead {
        Err(why) => return Finding::new(Verdict::Fault, part, format!("连接不上：{why}")),
        Ok(ahead) => *ahead,
    };
    if ahead.abs() > MOST_APART_MS {
        return Finding::new(Verdict::Fault, part, format!("本机的时间比它{}。请校准时间", apart(ahead)));
    }
    match &server.failed_checks {
        None => Finding::new(Verdict::Warning, part, "有应答，还没有检测过。请在服务器页面运行“检测”"),
        Some(failed) if failed.is_empty() => Finding::new(Verdict::Sound, part, "有应答，检测没有发现问题"),
        Some(failed) => {
            let words = format!("有应答，上次检测有 {} 项没有通过：{}", failed.len(), failed.join("、"));
            Finding::new(Verdict::Warning, part, words)
        }
    }
}

fn apart(ahead_ms: i64) -> String {
    let seconds = ahead_ms.abs() / 1000;
    let amount = match seconds {
        ..120 => format!("{seconds} 秒"),
        120..7200 => format!("{} 分钟", seconds / 60),
        7200..172_800 => format!("{} 小时", seconds / 3600),
        _ => format!("{} 天", seconds / 86_400),
    };
    if ahead_ms > 0 { format!("快 {amount}") } else { format!("慢 {amount}") }
}
