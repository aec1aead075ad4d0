//! The words that every part of YunLab shares: who acts, when, which page of a list, what went
//! wrong in kind, which names are allowed, and the signed token that says who somebody is.
//!
//! `dataset` and `home` are what portal and disk say to one another of datasets and of the homes of people who leave,
//! `scope` what a personal access token opens.
//!
//! It knows nothing of HTTP, SQL, Docker or files.

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
pub mod rules;
pub mod scope;
mod secret;
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
pub use secret::Secret;

/// The version that pages, tokens' issuers and `--version` show.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What updates compare: the version, followed by `-N` in the Nth package that was made of it. Builds from the sources
/// have none.
pub const RELEASE: &str = match option_env!("PACKAGE_RELEASE") {
    Some(release) if !release.is_empty() => release,
    _ => VERSION,
};

/// The version of the API, as its documents say it, which anybody may read: it does not tell which faults were mended.
pub const API_VERSION: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
