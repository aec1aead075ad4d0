//! Rehearsals: a program starts like this one was started, on the same data but on a private port, checks its own
//! health, reports it, and exits.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// More than its output.
const MOST_BYTES: u64 = 64 * 1024;

/// The last line of a successful rehearsal.
pub(crate) fn passed(version: &str) -> String {
    format!("rehearsed {version}")
}

/// Runs the rehearsal of a program.
pub(super) async fn rehearse(program: &Path, version: &str, limit: Duration) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).arg("--rehearse").stdin(Stdio::null()).stdout(Stdio::piped());
    // A process group of its own, so that its children end with it.
    let child = command.process_group(0).spawn().context("新版本的程序不能运行")?;
    let mut rehearsal = Rehearsal(child);
    match timeout(limit, rehearsal.end(version)).await {
        Ok(outcome) => outcome,
        Err(_) => {
            rehearsal.kill();
            // While it lives, it holds the data folder.
            rehearsal.0.wait().await.context("waiting for its end")?;
            bail!("新版本在 {} 秒内没有准备好", limit.as_secs());
        }
    }
}

/// Everything of it is killed when it is dropped.
struct Rehearsal(Child);

impl Rehearsal {
    async fn end(&mut self, version: &str) -> anyhow::Result<()> {
        let mut said = Vec::new();
        if let Some(out) = self.0.stdout.take() {
            out.take(MOST_BYTES).read_to_end(&mut said).await.context("reading what it says")?;
        }
        let status = self.0.wait().await.context("waiting for its end")?;
        ensure!(status.success(), "新版本试启动失败（{}），详情见服务的日志", in_words(status));
        let said = String::from_utf8_lossy(&said);
        ensure!(said.lines().any(|line| line == passed(version)), "新版本试启动后没有确认版本号 {version}");
        Ok(())
    }

    fn kill(&self) {
        // Its id is also its group's; the child has no id any more once it was waited for.
        let group = self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            // It may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("退出码 {code}"),
        (None, Some(signal)) => format!("被信号 {signal} 终止"),
        (None, None) => status.to_string(),
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        self.kill();
    }
}
