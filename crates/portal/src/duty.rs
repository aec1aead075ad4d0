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
