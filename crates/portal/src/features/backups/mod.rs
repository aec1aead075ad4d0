//! Backups of the database, which the leading portal makes daily and on request, and of the network disk's files, which
//! a script of the lab makes and reports.
//!
//! The program writes, checks and rotates backups and passes that in as a [`BackupMaker`]. This feature decides when
//! one is due, stores the outcomes, and notifies administrators when backups begin to fail; alerts look after their age. A request is a row that the
//! duty takes up, so that the leading portal makes the backup whichever portal was asked.

mod facts;
mod http;
mod maker;
mod model;
mod run;
mod store;

use std::time::Duration;

use background::{Duty, Scope};

pub use facts::BackupFacts;
pub(crate) use facts::{have_good, health, last_successes, latest};
pub(crate) use http::routes;
pub(crate) use maker::LentMaker;
pub use maker::{BackupMaker, BackupPlace, MadeBackup};

use crate::duty::PortalDuty;

/// The name of the duty, which is activated when a backup is requested.
const DUTY: &str = "backup";

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: DUTY,
        title: "备份数据库",
        description: "每天备份一次数据库和密钥，在临时的数据库里恢复一遍确认可用，再删除多余的旧备份",
        period: Duration::from_secs(3600),
        scope: Scope::Leader,
        // Backups go on even with a doubtful clock; duties that delete old ones wait.
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { run::look(&portal).await }),
}];
