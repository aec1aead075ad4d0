//! Checks of the machine: folders, free space, permissions, descriptors, a container engine.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use kernel::units::GB;
use rustix::fs::{Access, AtFlags, CWD, StatVfs, accessat, statvfs};

use super::{Finding, Verdict};
use crate::config::Config;
use crate::{descriptors, rights};

/// Below this nothing works reliably.
const LEAST_ROOM: u64 = 512 << 20;
/// In hundredths: the room, or the entries that the file system has left for files.
const FAULT_BELOW: u64 = 2;
const WARNING_BELOW: u64 = 10;
/// Enough, however little it is of a large disk.
const PLENTY: u64 = 200 * GB.unsigned_abs();

/// A folder that is there and may be written to.
pub(super) fn writable(part: &str, path: &Path) -> Finding {
    let look = || {
        if !path.is_dir() {
            bail!("{} 不存在（首次启动时会建立）", path.display());
        }
        // By the rights that count when something is written, capabilities among them.
        accessat(CWD, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .with_context(|| format!("{} 不可写", path.display()))?;
        Ok(path.display().to_string())
    };
    Finding::of(part, look())
}

/// The room on the file systems of database and files, each once.
pub(super) fn space(config: &Config) -> Vec<Finding> {
    let disk = config.disk_root();
    let mut found: Vec<(u64, Finding)> = Vec::new();
    for path in [config.data_dir.as_path(), disk.as_path()] {
        // A missing folder was reported already.
        let Ok(stat) = statvfs(path) else { continue };
        if found.iter().all(|(known, _)| *known != stat.f_fsid) {
            found.push((stat.f_fsid, room(path, &stat)));
        }
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn room(path: &Path, stat: &StatVfs) -> Finding {
    let part = "磁盘空间";
    let (free, all) = (stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize);
    let words = format!("{} 所在的磁盘还剩 {}，共 {}", path.display(), gigabytes(free), gigabytes(all));
    let advice = "写满之后不能上传，也不能保存设置。请清理或扩容";
    let percent = |part: u64, whole: u64| part.saturating_mul(100).checked_div(whole).unwrap_or(100);
    // Some file systems have no fixed number of entries.
    let entries = percent(stat.f_favail, stat.f_files);
    if entries < FAULT_BELOW {
        let words = format!(
            "{} 所在的磁盘快没有可用的 inode（剩 {} 个），不能再新建文件。请删除小文件",
            path.display(),
            stat.f_favail
        );
        return Finding::new(Verdict::Fault, part, words);
    }
    let room = percent(free, all);
    if free < LEAST_ROOM || (room < FAULT_BELOW && free < PLENTY) {
        return Finding::new(Verdict::Fault, part, format!("{words}。{advice}"));
    }
    if room < WARNING_BELOW && free < PLENTY {
        return Finding::new(Verdict::Warning, part, format!("{words}。{advice}"));
    }
    Finding::new(Verdict::Sound, part, words)
}

fn gigabytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) / GB.unsigned_abs();
    format!("{}.{} GB", tenths / 10, tenths % 10)
}

/// The capabilities of the running process, or of one started like this command.
pub(super) fn rights(process: Option<u32>) -> Finding {
    let part = "权限";
    match rights::missing(process) {
        Ok(missing) if missing.is_empty() => Finding::new(Verdict::Sound, part, "可以处理实例写的文件"),
        Ok(missing) => Finding::new(Verdict::Fault, part, rights::words(&missing)),
        Err(_) => Finding::new(Verdict::Warning, part, "看不到服务进程的权限，请用 root 运行本命令"),
    }
}

/// The connections that a server started like this command could hold.
pub(super) fn connections(config: &Config) -> Finding {
    const TOO_FEW: usize = 1024;
    descriptors::raise_limit();
    let descriptors = descriptors::limit();
    let limits = config.connection_limits(descriptors);
    let told = format!(
        "可打开 {descriptors} 个文件，最多 {} 个连接，其中未登录的 {} 个、每个地址 {} 个",
        limits.all, limits.guests, limits.guests_per_address
    );
    let look = || {
        ensure!(descriptors >= TOO_FEW, "{told}。请提高打开文件数的上限（systemd 的 LimitNOFILE=，或 ulimit -Hn）");
        Ok(told.clone())
    };
    Finding::of("连接数", look())
}

/// The engine on this machine. A portal may have its engines elsewhere only.
pub(super) async fn engine(socket: &Path) -> Finding {
    let part = "容器引擎";
    match tokio::net::UnixStream::connect(socket).await {
        Ok(_) => Finding::new(Verdict::Sound, part, format!("{} 有应答", socket.display())),
        Err(error) => {
            let words = format!("{} 没有应答（{error}），本机不能运行实例", socket.display());
            Finding::new(Verdict::Warning, part, words)
        }
    }
}
