//! Backups for the portal in this process.

use std::error::Error;

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use db_kit::{Db, DbError, ImportError};
use kernel::{Timestamp, Unexpected};
use portal::{BackupMaker, BackupPlace, MadeBackup};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::Folder;
use crate::chinese;

/// Makes backups of the portal's database.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) db: Db,
    pub(crate) folder: Folder,
}

#[async_trait]
impl BackupMaker for Maker {
    async fn place(&self) -> BackupPlace {
        let (folder, local) = (self.folder.clone(), self.db.is_on_this_machine());
        let shown = folder.dir.display().to_string();
        let (keep, encrypted) = (folder.keep, folder.key_file.is_some());
        let beside_data = apart(async move || Ok(local && folder.is_beside_data())).await.unwrap_or(false);
        BackupPlace { folder: shown, keep, encrypted, beside_data }
    }

    async fn present(&self, files: Vec<String>) -> Vec<String> {
        let folder = self.folder.clone();
        apart(async move || Ok(folder.present(files))).await.unwrap_or_default()
    }

    async fn sweep(&self) -> anyhow::Result<()> {
        let folder = self.folder.clone();
        apart(async move || folder.sweep()).await
    }

    async fn make(&self, at: Timestamp) -> anyhow::Result<MadeBackup> {
        let (folder, db) = (self.folder.clone(), self.db.clone());
        apart(async move || folder.make(&db, at).await).await
    }

    async fn rotate(&self, newest: &str) -> anyhow::Result<Vec<String>> {
        let (folder, newest) = (self.folder.clone(), newest.to_owned());
        apart(async move || folder.rotate(&newest)).await
    }
}

/// Runs work with files and databases on a blocking thread, until the caller drops it.
async fn apart<T: Send + 'static>(work: impl AsyncFnOnce() -> anyhow::Result<T> + Send + 'static) -> anyhow::Result<T> {
    let (runtime, given_up) = (Handle::current(), CancellationToken::new());
    let guard = given_up.clone().drop_guard();
    let work = move || runtime.block_on(async { given_up.run_until_cancelled(work()).await });
    let done = tokio::task::spawn_blocking(work).await.context("备份的线程")?;
    drop(guard);
    done.context("备份途中程序停止")?.map_err(|error| anyhow!(words(&error)))
}

/// Why it failed, for administrators.
fn words(error: &anyhow::Error) -> String {
    let is_full = |cause: &(dyn Error + 'static)| match cause.downcast_ref() {
        Some(ImportError::Failed(error)) => error.is_full(),
        _ => cause.downcast_ref::<DbError>().is_some_and(Unexpected::is_full),
    };
    if error.chain().any(is_full) {
        "磁盘已满，临时的数据库写不下".to_owned()
    } else {
        chinese::chain(error)
    }
}
