//! Uploads that can be resumed: tus 1.0.0 with creation, termination, checksum and expiration.
//!
//! An upload's address is `/api/tus{path}?upload={id}`, which creating it answers as `Location`.
//! Clients of File Browser know only the path; without an id the newest upload that the same
//! person began for this path is meant. What has arrived lies in the disk's own folder on the
//! mount of the target (`staging`), with a small record beside it, so that neither a restart nor
//! a reload of the page loses it. With its last byte it is put in place as any new file is.

mod append;
mod arriving;
#[cfg(any(test, feature = "fuzzing"))]
mod check;
mod checksum;
mod create;
mod finish;
mod protocol;
mod record;
mod request;
mod status;
mod terminate;
mod upload;
mod uploads;

use std::time::Duration;

use axum::middleware::map_response;

use http_kit::{Routes, routes};

use crate::error::DiskResult;
use crate::host::Host;
use crate::http::{blocking, subtree};

#[cfg(any(test, feature = "fuzzing"))]
pub use check::check_tus_headers;
pub(crate) use uploads::Uploads;

/// An upload that nothing has been added to for this long is removed.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Between two looks for such.
const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);

pub(crate) fn routes() -> Routes<Host> {
    let calls = routes!(create::create, status::status, append::append, terminate::terminate, protocol::capabilities);
    subtree("/api/tus", calls).layer(map_response(protocol::describe))
}

/// Finds what earlier runs left to be resumed, and from now on removes what nobody resumes.
pub(crate) fn start(host: &Host) -> DiskResult<()> {
    host.uploads.area(host, host.jail.root(), &[])?;
    let (stopped, weak) = (host.stopped.clone(), host.downgrade());
    tokio::spawn(stopped.run_until_cancelled_owned(async move {
        let mut turns = tokio::time::interval(SWEEP_EVERY);
        loop {
            turns.tick().await;
            let Some(host) = weak.upgrade() else { return };
            let swept = blocking(move || {
                host.uploads.sweep(&host);
                Ok(())
            });
            if let Err(error) = swept.await {
                tracing::error!(error = %error, "old uploads could not be looked for");
            }
        }
    }));
    Ok(())
}
