//! Backups: of the database, which the leading portal makes once a day and whenever it is asked to, and of the network
//! disk's files, which a script of the lab makes and reports.
//!
//! How a backup is written, checked and rotated is the binary's, lent as a [`BackupMaker`]. This feature says when one
//! is due, keeps how each went, and tells administrators when they begin to fail. A backup that is asked for is a row
//! that the duty takes up, so whichever portal is asked, the leading one makes it.

mod facts;
mod http;
mod maker;
mod model;
mod run;
mod store;

use std::time::Duration;

use background::{Duty, Scope};

pub use facts::BackupFacts;
pub(crate) use facts::{have_good, latest};
pub(crate) use http::routes;
pub use maker::{BackupMaker, BackupPlace, MadeBackup};

use crate::duty::PortalDuty;

/// The name of the duty, which is activated when a backup is asked for.
const DUTY: &str = "backup";

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: DUTY,
        title: "备份数据库",
        description: "每天备份一次数据库和密钥，在临时的数据库里恢复一遍确认可用，再删除多余的旧备份",
        period: Duration::from_secs(3600),
        scope: Scope::Leader,
        // Without a backup nothing is safe. What deletes old ones waits by itself.
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { run::look(&portal).await }),
}];
