//! Backups in the API, and when one is due; without I/O.

use std::time::Duration;

use db_kit::Record;
use http_kit::{ListParams, NoFilter};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The duty looks hourly, so at most a day passes between two backups.
const DUE_AFTER: Duration = Duration::from_secs(23 * 3600);
/// A new installation has nothing to lose yet, and is busy with other things.
const FIRST_AFTER: Duration = Duration::from_secs(3600);

/// What is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BackupKind {
    /// The database and the keys.
    Database,
    /// The files of the network disk.
    Files,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BackupOutcome {
    /// Requested or in progress.
    Running,
    /// Written and, of the database, restored as a trial.
    Good,
    Failed,
}

/// A backup.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "backups")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Backup {
    pub(super) id: String,
    #[record(word)]
    pub(super) kind: BackupKind,
    #[record(word)]
    pub(super) outcome: BackupOutcome,
    /// The portal that makes it; empty while it is only requested.
    #[serde(skip)]
    pub(super) portal: String,
    /// The machine of the portal that made it, where its file lies; empty: not begun.
    pub(super) host: String,
    pub(super) started: Timestamp,
    /// Null: it is going on.
    pub(super) finished: Option<Timestamp>,
    /// The name in the folder; empty: there is no file.
    pub(super) file: String,
    /// The size of the file.
    pub(super) bytes: i64,
    /// The number of rows in it.
    #[record(column = "row_count")]
    pub(super) rows: i64,
    pub(super) encrypted: bool,
    /// What the script said that backed up the files.
    pub(super) note: String,
    /// Why it failed, in words for administrators; empty: it did not.
    pub(super) error: String,
    /// Whether the file is still in the folder; null: on another portal's machine, or there is no file.
    #[record(skip)]
    pub(super) present: Option<bool>,
}

impl Backup {
    /// When it ended; while it is going on, when it began.
    pub(super) fn end(&self) -> Timestamp {
        self.finished.unwrap_or(self.started)
    }
}

/// The settings of this portal for backups.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BackupSettings {
    /// Where they lie.
    pub(super) folder: String,
    /// How many are kept; 0: none is made by itself.
    pub(super) keep: u32,
    pub(super) encrypted: bool,
    /// Whether the folder is on the file system of the data, so that both are lost together.
    pub(super) beside_data: bool,
}

/// Backups, the newest first, and what an administrator must know first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BackupList {
    /// Null: this portal makes no backups.
    pub(super) settings: Option<BackupSettings>,
    /// The present time, for the age of backups.
    pub(super) now: Timestamp,
    /// The backup that is going on; null: none is.
    pub(super) running: Option<Backup>,
    /// The last good one of the database.
    pub(super) last_database: Option<Backup>,
    /// The last good one of the files.
    pub(super) last_files: Option<Backup>,
    pub(super) items: Vec<Backup>,
    pub(super) total: i64,
}

/// Which backups.
pub(super) type BackupQuery = ListParams<NoFilter>;

/// Whether a backup is to be made by itself.
pub(super) fn is_due(last_good: Option<Timestamp>, installed: Option<Timestamp>, now: Timestamp) -> bool {
    match (last_good, installed) {
        (Some(at), _) => at.plus(DUE_AFTER) <= now,
        (None, Some(at)) => at.plus(FIRST_AFTER) <= now,
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nobody_is_there(None, None, false)]
    #[case::just_installed(None, Some(59), false)]
    #[case::never(None, Some(60), true)]
    #[case::today(Some(22 * 60 + 59), Some(9999), false)]
    #[case::yesterday(Some(23 * 60), Some(9999), true)]
    fn one_is_due_daily(#[case] good: Option<u64>, #[case] installed: Option<u64>, #[case] due: bool) {
        let now = Timestamp::from_millis(1_795_168_800_000);
        let ago = |minutes: u64| now.minus(Duration::from_secs(minutes * 60));
        assert_eq!(is_due(good.map(ago), installed.map(ago), now), due);
    }
}
