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
mod duty_list;
mod events;
mod features;
mod file_systems;
mod instance_name;
mod jobs;
mod keys;
mod lab_time;
mod listeners;
mod migrations;
mod openapi;
mod parts;
mod private_file;
mod reach;
mod recent;
mod recent_rows;
mod seal;
mod sockets;
mod sought;
mod state;
mod store_growing;
mod store_samples;
mod unreached;
mod visibility;
mod wiring;

pub use authorization::{RULES, Rule};
pub use features::audit::AuditReport;
pub use features::backups::{BackupFacts, BackupMaker, BackupPlace, MadeBackup};
pub use features::clusters::{ClusterAddress, ClusterKind, ClusterTls, Runtimes};
pub use features::datasets::{DatasetHolder, FolderHolder, QuotaHolders};
pub use features::disk_space::DiskCounter;
pub use features::https::{HttpsFacts, IssuedFiles, LAB_CA_KEYS, LabCaFacts, ServedCertificate};
pub use features::images::{BuildContexts, ContextStream};
pub use features::inspection::{Inspection, ServerInspection};
pub use features::logs::{ACTION_LABELS, action_of};
pub use features::page_headers::PageView;
pub use features::servers::LocalServer;
pub use features::session::{AccountName, PasswordCost, SIGNED_IN_TABLES};
pub use features::support::SupportFile;
pub use features::update::{
    Build, FailedUpdate, Manifest, NewProgram, ReleaseError, ReleaseKey, UpdateConfig, Version, this_target,
};
pub use features::users::{ImportedAccount, PasswordReset, UserSummary, has_users};
pub use features::worksheets::DiskFiles;
pub use file_systems::{FileSystemRoom, FileSystems, MachineFileSystems};
pub use keys::KEY_FILES;
pub use migrations::{STEPS as MIGRATIONS, prepare_database};
pub use openapi::{openapi, router};
pub use recent::NOTICED_WITHIN;
pub use state::Portal;
pub(crate) use state::WeakPortal;
pub use wiring::PortalConfig;
