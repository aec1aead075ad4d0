//! A background duty of the portal, as each feature declares its own.

use background::Duty;
use futures_util::future::BoxFuture;

use crate::Portal;

/// A duty with its function.
#[derive(Debug)]
pub(crate) struct PortalDuty {
    pub(crate) duty: Duty,
    pub(crate) run: fn(Portal) -> BoxFuture<'static, anyhow::Result<()>>,
}
