//! The progress of an update: a small file in the data folder, replaced as a whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};

use super::now;

const FILE: &str = "update.json";

/// The last phase that began. The words must not change: other versions read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// The new version rehearses beside the old one, or the files are about to change places.
    Trying,
    /// The new program is in its place and has not served yet.
    Switched,
    /// The old version must check whether the database has to be restored.
    GoingBack,
    /// The database is being put back: there may be nothing in it.
    PuttingBack,
    /// The new version serves.
    Done,
    /// The old version serves.
    Failed,
}

impl Phase {
    /// Whether there is something left to be done.
    pub(super) fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Failed)
    }
}

/// One update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// The old version.
    pub(super) from: String,
    /// The new version.
    pub(super) version: String,
    pub(super) phase: Phase,
    /// When the update began, and later when it was rolled back.
    pub(super) time: Timestamp,
    /// The reason of the rollback, in words for administrators.
    pub(super) reason: String,
    /// The tables' before ([`db_kit::shape`]); empty before the new version could change them.
    pub(super) shape: String,
}

impl Record {
    pub(super) fn new(from: &str, version: &str) -> Self {
        let (from, version) = (from.to_owned(), version.to_owned());
        Self { from, version, phase: Phase::Trying, time: now(), reason: String::new(), shape: String::new() }
    }

    pub(super) fn go_back(&mut self, reason: String) {
        (self.phase, self.reason, self.time) = (Phase::GoingBack, reason, now());
    }

    /// Reads the last update's record; `None` when there was none.
    pub(super) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = path(data_dir);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).with_context(|| format!("读取 {}", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("读取 {}", path.display())),
        }
    }

    /// When this returns, it survives a power cut.
    pub(super) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        let (folder, path) = (folder(data_dir)?, path(data_dir));
        let part = folder.join("update.part");
        let write = || -> std::io::Result<()> {
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
            file.write_all(&serde_json::to_vec_pretty(self)?)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            File::open(&folder)?.sync_all()
        };
        write().with_context(|| format!("写入 {}", path.display()))
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("update").join(FILE)
}

/// The folder that holds it, made for us alone.
pub(super) fn folder(data_dir: &Path) -> anyhow::Result<PathBuf> {
    let folder = data_dir.join("update");
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("建立 {}", folder.display()))
        }
        _ => Ok(folder),
    }
}
