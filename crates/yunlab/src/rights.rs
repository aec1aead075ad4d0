//! Capabilities that a process needs for files written by instances.

use std::io;

/// The missing capabilities of a process; this one without a number.
pub(crate) fn missing(process: Option<u32>) -> io::Result<Vec<&'static str>> {
    let of = process.map_or_else(|| "self".to_owned(), |id| id.to_string());
    Ok(disk::missing_rights(&std::fs::read_to_string(format!("/proc/{of}/status"))?))
}

/// The consequences of missing capabilities, and the remedy.
pub(crate) fn words(missing: &[&str]) -> String {
    format!(
        "缺少 {}：实例以 root 等其他账号写的文件，在网盘里可能不能下载、移动或删除。请用 root 运行服务，或在 systemd \
         单元中设置 AmbientCapabilities=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER",
        missing.join("、")
    )
}
