//! The vocabulary that all parts of YunLab share: actors, time, pages of lists, kinds of errors, rules for names, and
//! signed tokens.
//!
//! `dataset` and `home` are the protocol of portal and disk for datasets and for leaving users' homes; `scope` defines
//! the scopes of personal access tokens.
//!
//! It does not depend on HTTP, SQL, Docker or files.

mod actor;
mod bcrypt_hash;
mod clock;
pub mod dataset;
mod difference;
mod disk_change;
mod error;
pub mod guarded_clock;
pub mod home;
mod page;
mod person;
pub mod rules;
pub mod scope;
mod secret;
mod storage_host_clock;
pub mod token;
pub mod units;

pub use actor::{Actor, Role, UserId};
pub use bcrypt_hash::is_bcrypt_hash;
pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use difference::difference;
pub use disk_change::{DiskAction, DiskChange, DiskEvent};
pub use error::{ErrorKind, Unexpected};
pub use guarded_clock::{GuardedClock, Hold, HoldReason};
pub use page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, Order, Page, PageRequest};
pub use person::{GroupFolder, Person};
pub use secret::Secret;
pub use storage_host_clock::StorageHostClock;

/// The version that pages, tokens' issuers and `--version` show.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version that updates compare: the version, followed by `-N` for the Nth package of it. Builds from sources have
/// no number.
pub const RELEASE: &str = match option_env!("PACKAGE_RELEASE") {
    Some(release) if !release.is_empty() => release,
    _ => VERSION,
};

/// The version of the API in its public documents: it does not reveal which faults are fixed.
pub const API_VERSION: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
