//! The head file: the last seal of this portal, kept in the data folder. An attacker with access to the database alone
//! can truncate the chain, but not this file.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::seal::Seal;

/// Excluded from backups, because a restored one would miss later seals.
const FILE: &str = "audit-head.json";

/// The position of the last seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) number: i64,
    pub(super) hash: String,
}

impl Head {
    pub(super) fn of(seal: &Seal) -> Self {
        Self { number: seal.content.number, hash: seal.hash.clone() }
    }

    /// Reads the head file; `None` if no seal was made with this data folder.
    pub(super) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = path(data_dir);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).with_context(|| format!("{} 内容损坏", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("读取 {}", path.display())),
        }
    }

    /// Replaces the head file atomically.
    pub(super) fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        let (path, new) = (path(data_dir), data_dir.join(format!("{FILE}.new")));
        let written = || -> io::Result<()> {
            let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            fs::File::open(data_dir)?.sync_all()
        };
        written().with_context(|| format!("写入 {}", path.display()))
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}
