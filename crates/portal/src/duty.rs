//! A background duty of the portal, as each feature declares its own.

use background::Duty;
use futures_util::future::BoxFuture;

use crate::Portal;

impl Portal {
    /// Runs a duty at once if it is active in this process.
    pub(crate) fn activate_duty(&self, name: &str) {
        // Unknown or inactive here: it may be active in another process.
        let _ = self.duties().activate(name);
    }
}

/// A duty with its function.
#[derive(Debug)]
pub(crate) struct PortalDuty {
    pub(crate) duty: Duty,
    pub(crate) run: fn(Portal) -> BoxFuture<'static, anyhow::Result<()>>,
}

/// A duty that the leader repeats for each server, given by its id.
#[derive(Debug)]
pub(crate) struct ServerDuty {
    pub(crate) duty: Duty,
    pub(crate) run: for<'a> fn(&'a Portal, &'a str) -> BoxFuture<'a, anyhow::Result<()>>,
}

/// The duties of all features.
#[derive(Debug)]
pub(crate) struct DutyCatalog {
    /// By feature.
    pub(crate) of_features: &'static [&'static [PortalDuty]],
    /// Those that only matter where several portals share a database.
    pub(crate) with_peers: &'static [PortalDuty],
    pub(crate) of_servers: &'static [&'static [ServerDuty]],
}

impl DutyCatalog {
    /// Those that are not repeated for each server. `with_peers`: several portals may share the database.
    pub(crate) fn all(&self, with_peers: bool) -> impl Iterator<Item = &'static PortalDuty> {
        let with_peers = if with_peers { self.with_peers } else { &[] };
        self.of_features.iter().copied().flatten().chain(with_peers)
    }

    /// Those of one server.
    pub(crate) fn of_servers(&self) -> impl Iterator<Item = &'static ServerDuty> {
        self.of_servers.iter().copied().flatten()
    }
}
