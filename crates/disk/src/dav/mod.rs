//! WebDAV at `/dav`: the same files under the same rules, for programs that mount or sync.
//!
//! `dav-server` implements the protocol; its file operations use the same code as the other calls. Clients authenticate
//! with an app password, never the login password. Deleting and overwriting a folder is one step here, not one per
//! entry, so that the trash gets one entry and the name always leads to a complete folder. Properties that clients
//! define are kept in an attribute of the file, locks in memory.

mod above;
mod change;
mod checksum;
mod files;
mod incoming;
mod locks;
mod look;
mod meta;
mod page;
mod properties;
mod request;
mod serve;
mod sign_in;
mod times;

use axum::Router;
use axum::routing::any;

use disk_core::error::DiskResult;
use disk_core::jail::Location;
use kernel::Actor;

use crate::host::Host;
pub use above::above_dav;
use locks::LockTable;
use sign_in::SignInLimits;

/// Where everything below is WebDAV.
const ROOT: &str = "/dav";

/// WebDAV's state between requests.
#[derive(Debug, Default)]
pub(crate) struct Dav {
    locks: LockTable,
    limits: SignInLimits,
}

impl Host {
    /// 423 when another person has locked this location over WebDAV, or a folder above it or, if `deep`, an entry below
    /// it.
    pub(crate) fn refuse_locked(&self, location: &Location, by: &Actor, deep: bool) -> DiskResult<()> {
        self.dav.locks.refuse_foreign(self.clock.now(), &location.names, &by.username, deep)
    }
}

/// Not in the API's document, which has no words for WebDAV's verbs.
pub(crate) fn routes() -> Router<Host> {
    // A wildcard can't be empty.
    Router::new()
        .route("/", any(above::serve))
        .route(ROOT, any(serve::serve))
        .route(&format!("{ROOT}/"), any(serve::serve))
        .route(&format!("{ROOT}/{{*path}}"), any(serve::serve))
}
