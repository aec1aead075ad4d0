//! The data folder of the development lab, which must be distinguishable from one with real data, because it may be
//! deleted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rustix::fs::{FlockOperation, flock};
use testkit::ADMIN_PASSWORD;

/// The product's configuration, written first: it marks the folder as a development lab's.
const CONFIG: &str = "dev-lab.toml";
/// The engines' state, written when the lab is complete.
const ENGINES: &str = "dev-lab.json";

/// The data folder.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder, or recreates it if it is incomplete or should be `fresh`. Returns also whether there is a
    /// complete lab in it.
    pub(crate) fn open(path: &Path, fresh: bool) -> anyhow::Result<(Self, bool)> {
        let folder = Self(path.to_owned());
        let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        ensure!(is_empty || folder.config().exists(), "{} 里不是开发用的实验室，不动它", path.display());
        ensure!(!is_in_use(path), "{} 正被另一个开发实验室使用", path.display());
        let is_whole = folder.engines().exists() && !fresh;
        if !is_empty && !is_whole {
            fs::remove_dir_all(path).with_context(|| format!("删除 {}", path.display()))?;
        }
        fs::create_dir_all(path).with_context(|| format!("建立 {}", path.display()))?;
        // There are neither uploads to wait for nor data to back up.
        let config =
            format!("admin_password = \"{ADMIN_PASSWORD}\"\nlog_level = \"warn\"\nstop_seconds = 1\nbackup_keep = 0\n");
        fs::write(folder.config(), config).with_context(|| format!("写入 {}", folder.config().display()))?;
        Ok((folder, is_whole))
    }

    /// The product's configuration.
    pub(crate) fn config(&self) -> PathBuf {
        self.0.join(CONFIG)
    }

    /// The engines' state.
    pub(crate) fn engines(&self) -> PathBuf {
        self.0.join(ENGINES)
    }
}

/// Whether a server runs on it, which holds this lock.
fn is_in_use(path: &Path) -> bool {
    File::open(path.join("lock")).is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockShared).is_err())
}
