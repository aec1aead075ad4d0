//! The head file: the last seal of this portal, kept in the data folder. An attacker with access to the database alone
//! can truncate the chain, but not this file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::seal::Seal;
use crate::private_file;

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
        let path = path(data_dir);
        private_file::replace(&path, &serde_json::to_vec(self)?).with_context(|| format!("写入 {}", path.display()))
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}
