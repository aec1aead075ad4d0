//! The data folder: made for us alone, used by one server at a time.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, anyhow};
use db_kit::Db;
use rustix::fs::{FlockOperation, flock};

use crate::config::Config;

/// Makes the folder where it is missing.
pub(crate) fn prepare(path: &Path) -> anyhow::Result<()> {
    if !path.exists() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(path)
            .with_context(|| format!("建立数据目录 {}", path.display()))?;
    }
    Ok(())
}

/// Held while a server runs on this folder.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

/// Makes sure that no other server uses the folder.
pub(crate) fn lock(path: &Path) -> anyhow::Result<Lock> {
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(path.join("lock"))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| anyhow!("数据目录 {} 正被另一个 yunlab 使用", path.display()))?;
    Ok(Lock(file))
}

/// Opens the database that is configured, by default SQLite in the data folder.
pub(crate) async fn open_database(config: &Config) -> anyhow::Result<Db> {
    let url = match config.database_url()? {
        Some(url) => url.expose().to_owned(),
        None => {
            let path = config.data_dir.join("yunlab.db");
            // SQLite gives its log files the mode of the database.
            File::options().create(true).truncate(false).write(true).mode(0o600).open(&path)?;
            format!("sqlite://{}", path.display())
        }
    };
    Db::connect(&url).await.map_err(|error| anyhow::Error::new(error).context("连接数据库"))
}
