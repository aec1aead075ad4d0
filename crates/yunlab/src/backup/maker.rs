//! Backups for the portal in this process. A folder whose file system does not answer, such as a share whose server is
//! gone, delays only its own work: each call gives up in time, and one thread waits for it at most.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use db_kit::{Db, DbError, ImportError};
use kernel::{Timestamp, Unexpected};
use portal::{BackupMaker, BackupPlace, MadeBackup};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Folder;
use crate::chinese;

/// Far longer than the largest database of a lab takes.
const MAKE_PATIENCE: Duration = Duration::from_secs(2 * 3600);
/// For sweeping and rotating, and for the end of work that was given up.
const WORK_PATIENCE: Duration = Duration::from_secs(30);
/// Pages wait for it.
const LOOK_PATIENCE: Duration = Duration::from_secs(3);
const SILENT: &str = "备份目录没有应答：所在的磁盘或网络存储可能断开了。请检查挂载和网络";

/// Makes backups of the portal's database.
#[derive(Debug)]
pub(crate) struct Maker {
    db: Db,
    folder: Folder,
    working: Arc<Mutex<()>>,
    looking: Arc<Mutex<()>>,
}

impl Maker {
    pub(crate) fn new(db: Db, folder: Folder) -> Self {
        Self { db, folder, working: Arc::default(), looking: Arc::default() }
    }

    /// `None` when the folder does not answer.
    async fn look<T: Send + 'static>(
        &self,
        look: impl AsyncFnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Option<T> {
        timeout(LOOK_PATIENCE, apart(&self.looking, look)).await.ok()?.ok()
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        timeout(WORK_PATIENCE, apart(&self.working, work)).await.unwrap_or_else(|_| Err(anyhow!(SILENT)))
    }
}

#[async_trait]
impl BackupMaker for Maker {
    fn patience(&self) -> Duration {
        MAKE_PATIENCE
    }

    async fn place(&self) -> BackupPlace {
        let (folder, local) = (self.folder.clone(), self.db.is_on_this_machine());
        let shown = folder.dir.display().to_string();
        let (keep, encrypted) = (folder.keep, folder.key_file.is_some());
        let beside_data = self.look(async move || Ok(local && folder.is_beside_data())).await.unwrap_or(false);
        BackupPlace { folder: shown, keep, encrypted, beside_data }
    }

    async fn present(&self, files: Vec<String>) -> Vec<String> {
        let folder = self.folder.clone();
        self.look(async move || Ok(folder.present(files))).await.unwrap_or_default()
    }

    async fn sweep(&self) -> anyhow::Result<()> {
        let folder = self.folder.clone();
        self.work(async move || folder.sweep()).await
    }

    async fn make(&self, at: Timestamp) -> anyhow::Result<MadeBackup> {
        let (folder, db) = (self.folder.clone(), self.db.clone());
        apart(&self.working, async move || folder.make(&db, at).await).await
    }

    async fn rotate(&self, newest: &str) -> anyhow::Result<Vec<String>> {
        let (folder, newest) = (self.folder.clone(), newest.to_owned());
        self.work(async move || folder.rotate(&newest)).await
    }
}

/// Runs work with files and databases on a blocking thread, until the caller drops it. Work that was dropped while it
/// hung keeps its turn until it ends.
async fn apart<T: Send + 'static>(
    turns: &Arc<Mutex<()>>,
    work: impl AsyncFnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let turn = timeout(WORK_PATIENCE, Arc::clone(turns).lock_owned()).await.map_err(|_| anyhow!(SILENT))?;
    let (runtime, given_up) = (Handle::current(), CancellationToken::new());
    let guard = given_up.clone().drop_guard();
    let work = move || {
        let _turn = turn;
        runtime.block_on(async { given_up.run_until_cancelled(work()).await })
    };
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn work_that_hangs_keeps_its_turn_and_what_comes_after_it_is_given_up() {
        let (turns, (end, ended)) = (Arc::<Mutex<()>>::default(), mpsc::channel::<()>());
        let hang = async move || Ok(ended.recv().is_ok());
        let given_up = timeout(Duration::from_millis(20), apart(&turns, hang)).await;
        assert!(given_up.is_err());
        let next = || timeout(Duration::from_millis(20), apart(&turns, async || Ok(7)));
        assert!(next().await.is_err(), "one thread waits, not two");
        end.send(()).unwrap();
        assert_eq!(apart(&turns, async || Ok(7)).await.unwrap(), 7);
    }
}
