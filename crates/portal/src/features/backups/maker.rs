//! The interface to the program's backups of the database.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::Timestamp;

use crate::Portal;

/// The settings in force for backups.
#[derive(Clone, Debug, Default)]
pub struct BackupPlace {
    /// The folder.
    pub folder: String,
    /// How many are kept; 0: none is made by itself.
    pub keep: u32,
    /// Whether they are encrypted.
    pub encrypted: bool,
    /// Whether the folder is on the file system of the data, so that both are lost together.
    pub beside_data: bool,
}

/// A backup that was written, restored as a trial, and put in its place.
#[derive(Clone, Debug)]
pub struct MadeBackup {
    /// The name in the folder.
    pub file: String,
    /// The size of the file.
    pub bytes: u64,
    /// The number of rows in it.
    pub rows: u64,
    /// Whether it is encrypted.
    pub encrypted: bool,
}

/// Makes backups of the database and keeps the folder that they lie in. Errors are in words for administrators. Every
/// method except `make` returns within a minute, also when the folder's file system does not answer.
#[async_trait]
pub trait BackupMaker: Debug + Send + Sync {
    /// The longest time that `make` may take; a longer one is given up and counts as failed.
    fn patience(&self) -> Duration;

    /// Returns the settings in force.
    async fn place(&self) -> BackupPlace;

    /// Returns which of these files are in the folder.
    async fn present(&self, files: Vec<String>) -> Vec<String>;

    /// Removes what interrupted runs left.
    async fn sweep(&self) -> anyhow::Result<()>;

    /// Makes a backup, which gets its final name only after it was restored as a test.
    async fn make(&self, at: Timestamp) -> anyhow::Result<MadeBackup>;

    /// Deletes the oldest backups beyond the number to keep, never this one. Returns their names.
    async fn rotate(&self, newest: &str) -> anyhow::Result<Vec<String>>;
}

/// The program's backups, for a handle of the portal that can make them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LentMaker(Option<Arc<dyn BackupMaker>>);

impl Portal {
    /// Another handle of this portal, by which the database is backed up with `maker`.
    #[must_use]
    pub fn with_backup_maker(&self, maker: Arc<dyn BackupMaker>) -> Self {
        self.with_loan(LentMaker(Some(maker)))
    }

    pub(crate) fn backup_maker(&self) -> Option<&dyn BackupMaker> {
        self.loan::<LentMaker>().0.as_deref()
    }
}
