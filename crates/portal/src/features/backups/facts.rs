//! The state of backups for other features and programs: alerts, metrics, `yunlab admin doctor`, and the script that
//! backs up the files.

use anyhow::ensure;
use db_kit::{DbResult, Sql};
use http_kit::ApiResult;
use kernel::{PageRequest, Timestamp, rules};
use uuid::Uuid;

use super::model::{Backup, BackupKind};
use super::run::BROKEN_OFF;
use super::store;
use crate::Portal;
use crate::features::logs;
use crate::features::users;

const LONGEST_NOTE: usize = 200;

/// The last backups.
#[derive(Clone, Debug)]
pub struct BackupFacts {
    /// The end of the database's last good backup.
    pub database: Option<Timestamp>,
    /// The end of the files' last good backup.
    pub files: Option<Timestamp>,
    /// The error of the last try, if it failed after the last good backup.
    pub failure: Option<String>,
    /// When the first account was made.
    pub installed: Option<Timestamp>,
}

impl Portal {
    /// Returns the last backups.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn backup_facts(&self) -> anyhow::Result<BackupFacts> {
        Ok(facts(self.db()).await?)
    }

    /// Keeps that the files of the network disk were backed up just now.
    ///
    /// # Errors
    /// When the note is too long, or the database fails.
    pub async fn note_files_backup(&self, note: &str) -> anyhow::Result<()> {
        ensure!(note.is_empty() || rules::is_line(note, LONGEST_NOTE), "说明应为一行，最多 {LONGEST_NOTE} 个字符");
        let (now, id, host) = (self.now(), Uuid::now_v7().to_string(), background::host_name());
        let tx = self.db().begin().await?;
        store::add_files(&tx, &id, (self.id(), &host), now, note).await?;
        logs::record_local(&tx, now, "backup.files", "网盘文件", note).await?;
        Ok(tx.commit().await?)
    }
}

async fn facts(db: &impl Sql) -> DbResult<BackupFacts> {
    let database = store::last_good(db, BackupKind::Database).await?;
    let good = database.as_ref().map(|backup| backup.started);
    let failed = store::last_failed(db).await?.filter(|failed| good.is_none_or(|good| failed.started > good));
    Ok(BackupFacts {
        database: database.as_ref().map(Backup::end),
        files: store::last_good(db, BackupKind::Files).await?.as_ref().map(Backup::end),
        failure: failed.map(|failed| failed.error),
        installed: users::first_created(db).await?,
    })
}

/// The last backups, and whether one of the database is requested or in progress. A single backup that a restart interrupted is no
/// failure: it is made again.
pub(crate) async fn health(db: &impl Sql) -> DbResult<(BackupFacts, bool)> {
    let mut facts = facts(db).await?;
    if facts.failure.as_deref() == Some(BROKEN_OFF) && store::streak(db).await?.failures < 2 {
        facts.failure = None;
    }
    Ok((facts, store::running(db).await?.is_some()))
}

/// The end of the last good backup of each kind that there is.
pub(crate) async fn last_successes(db: &impl Sql) -> DbResult<Vec<(BackupKind, Timestamp)>> {
    let mut found = Vec::new();
    for kind in [BackupKind::Database, BackupKind::Files] {
        found.extend(store::last_good(db, kind).await?.map(|backup| (kind, backup.end())));
    }
    Ok(found)
}

/// Whether the database was ever backed up.
pub(crate) async fn have_good(db: &impl Sql) -> DbResult<bool> {
    Ok(store::last_good(db, BackupKind::Database).await?.is_some())
}

/// The latest backups.
///
/// # Errors
/// When the database fails.
pub(crate) async fn latest(portal: &Portal, limit: i64) -> ApiResult<Vec<Backup>> {
    Ok(store::list(portal.db(), PageRequest::all(limit)).await?.0)
}
