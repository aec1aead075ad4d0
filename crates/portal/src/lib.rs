//! The platform API: users, their rights and resources, the lab's settings and logs. One folder for each feature, which
//! owns its routes, rules and tables.
//!
//! It does not depend on the disk's code. The disk asks [`Portal`] about users.

mod authorization;
mod certificate_params;
mod check;
mod common_passwords;
mod csv_file;
mod duty;
mod features;
mod file_systems;

mod jobs;
mod keys;
mod migrations;
mod openapi;
mod page_headers;
mod private_file;
mod reach;
mod recent_rows;
mod seal;
mod sockets;
mod state;
mod store_growing;
mod store_samples;
mod unreached;
mod visibility;

pub use authorization::{RULES, Rule};
pub use features::audit::AuditReport;
pub use features::backups::{BackupFacts, BackupMaker, BackupPlace, MadeBackup};
pub use features::clock::StorageHostClock;
pub use features::clusters::{ClusterAddress, ClusterKind, ClusterTls, Runtimes};
pub use features::datasets::{DatasetHolder, FolderHolder, QuotaHolders};
pub use features::disk_space::DiskCounter;
pub use features::https::{HttpsFacts, IssuedFiles, LAB_CA_KEYS, LabCaFacts, ServedCertificate};
pub use features::images::{BuildContexts, ContextStream};
pub use features::inspection::{Inspection, ServerInspection};
pub use features::logs::{ACTION_LABELS, action_of};
pub use features::servers::LocalServer;
pub use features::session::{AccountName, NOTICED_WITHIN, PasswordCost};
pub use features::support::SupportFile;
pub use features::update::{
    Build, FailedUpdate, Manifest, NewProgram, ReleaseError, ReleaseKey, UpdateConfig, Version, this_target,
};
pub use features::users::{ImportedAccount, PasswordReset, UserSummary};
pub use features::worksheets::DiskFiles;
pub use file_systems::{FileSystemRoom, FileSystems, MachineFileSystems};
pub use migrations::STEPS as MIGRATIONS;
pub use openapi::{openapi, router};
pub use page_headers::PageView;
pub use state::{KEY_FILES, Portal, PortalConfig, SIGNED_IN_TABLES, has_users, prepare_database};
