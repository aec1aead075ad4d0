//! The data folder: accessible to our user only, used by one server at a time.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;

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

/// Held while a server runs on this folder. Its content has the process id and origin of that server.
#[derive(Debug)]
pub(crate) struct Lock(File);

const LOCK: &str = "lock";

/// Makes sure that no other server uses the folder.
pub(crate) fn lock(path: &Path) -> anyhow::Result<Lock> {
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(path.join(LOCK))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| anyhow!("数据目录 {} 正被另一个 yunlab 使用", path.display()))?;
    let lock = Lock(file);
    lock.write(&format!("{}\n", std::process::id()));
    Ok(lock)
}

impl Lock {
    /// Writes the origin of this process.
    pub(crate) fn announce(&self, origin: &str) {
        self.write(&format!("{}\n{origin}\n", std::process::id()));
    }

    /// Only for diagnosis: a full disk is no reason not to start.
    fn write(&self, text: &str) {
        // Overwrites in place, which needs no new block of a full disk.
        let written = self.0.write_all_at(text.as_bytes(), 0).and_then(|()| self.0.set_len(text.len() as u64));
        if let Err(error) = written {
            tracing::warn!(%error, "the lock file could not be written");
        }
    }
}

/// The process that holds the lock of a folder.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) process: Option<u32>,
    /// Its origin; `None` before it listens.
    pub(crate) origin: Option<String>,
    /// When it last wrote its origin, which is its start.
    pub(crate) since: Option<SystemTime>,
}

/// The process that holds the lock of this folder, if there is one.
pub(crate) fn holder(path: &Path) -> Option<Holder> {
    let file = File::open(path.join(LOCK)).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        return None;
    }
    let since = file.metadata().and_then(|meta| meta.modified()).ok();
    let text = std::io::read_to_string(file).unwrap_or_default();
    let mut lines = text.lines();
    let process = lines.next().and_then(|line| line.parse().ok());
    Some(Holder { process, origin: lines.next().map(str::to_owned), since })
}

/// Whether the database lies in files on the file system of the network disk.
pub(crate) fn is_beside_database(config: &Config) -> bool {
    let of = |path: &Path| fs::metadata(path).map(|meta| meta.dev());
    let shared = match (of(&config.data_dir), of(&config.disk_root())) {
        (Ok(data), Ok(disk)) => data == disk,
        // The disk's root is made in the data folder.
        (Ok(_), Err(_)) => config.disk_root().starts_with(&config.data_dir),
        _ => false,
    };
    shared && config.database_url().is_ok_and(|url| url.is_none_or(|url| url.expose().starts_with("sqlite:")))
}

/// Opens the database that is configured, by default SQLite in the data folder.
pub(crate) async fn open_database(config: &Config) -> anyhow::Result<Db> {
    let url = match config.database_url()? {
        Some(url) => url.expose().to_owned(),
        None => {
            let path = config.sqlite();
            // SQLite gives its log files the mode of the database.
            File::options().create(true).truncate(false).write(true).mode(0o600).open(&path)?;
            format!("sqlite://{}", path.display())
        }
    };
    Db::connect(&url).await.map_err(|error| anyhow::Error::new(error).context("连接数据库"))
}
