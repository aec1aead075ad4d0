//! A folder for temporary data while a backup is made and verified, all of it readable rows.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use kernel::{Clock, SystemClock};
use rustix::fs::statvfs;

const PREFIX: &str = ".yunlab-scratch-";
/// The rows as text, the database that is restored of them, and its log.
const COPIES: u64 = 3;
/// Left for others on the same file system.
const MARGIN: u64 = 64 << 20;

/// Removed with everything in it when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Creates one in this folder.
    pub(super) fn new(within: &Path) -> anyhow::Result<Self> {
        // Another process may have had the same number and been killed.
        let (process, now) = (std::process::id(), SystemClock.now().as_millis());
        let path = within.join(format!("{PREFIX}{process}-{now}"));
        DirBuilder::new().mode(0o700).create(&path).with_context(|| format!("建立 {}", path.display()))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure is left to the sweep of the next backup.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes leftovers in this folder of processes that were killed.
pub(super) fn sweep(within: &Path) -> io::Result<()> {
    for entry in fs::read_dir(within)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Makes sure that a database of this size can be backed up and restored here without filling the file system.
pub(super) fn need_room(within: &Path, database: u64) -> anyhow::Result<()> {
    let stat = statvfs(within).with_context(|| format!("查看 {} 的剩余空间", within.display()))?;
    let (free, need) = (stat.f_bavail.saturating_mul(stat.f_frsize), database.saturating_mul(COPIES) + MARGIN);
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    ensure!(
        free >= need,
        "{} 的空间不足：备份并试恢复要 {} MiB，只剩 {} MiB",
        within.display(),
        megabytes(need),
        megabytes(free)
    );
    Ok(())
}
