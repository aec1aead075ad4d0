//! Resumable uploads: tus 1.0.0 with creation, termination, checksum, expiration and concatenation.
//!
//! The URL of an upload is `/api/tus{path}?upload={id}`, which the creation returns as `Location`. Clients of File
//! Browser only know the path; without an id the newest upload of the same person for this path is addressed. A path
//! that ends with a slash is the folder, and the name is in `Upload-Metadata`, as clients with one URL for all uploads
//! send it. Received bytes are in the disk's own folder on the mount of the target (`staging`), with a small record
//! beside it, so that the upload survives a restart or a reload of the page. With its last byte it is put in place like
//! any new file.

mod append;
mod arriving;
#[cfg(any(test, feature = "fuzzing"))]
mod check;
mod checksum;
mod concat;
mod create;
mod finish;
mod progress;
mod protocol;
mod record;
mod request;
mod status;
mod terminate;
mod upload;
mod uploads;

use std::time::Duration;

use axum::middleware::map_response;
use background::{Duty, Scope};
use disk_core::blocking::blocking;
use http_kit::{Routes, routes};

use crate::host::Host;
use crate::http::subtree;

#[cfg(any(test, feature = "fuzzing"))]
pub use check::check_tus_headers;
pub(crate) use uploads::Uploads;

/// An upload that nothing has been added to for this long is removed.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes expired uploads.
static EXPIRY: Duty = Duty {
    name: "expired-uploads",
    title: "清理中断的上传",
    description: "删除超过一天没有续传的上传",
    period: Duration::from_secs(10 * 60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: true,
};

pub(crate) fn routes() -> Routes<Host> {
    let calls = routes!(create::create, status::status, append::append, terminate::terminate, protocol::capabilities);
    subtree("/api/tus", calls).layer(map_response(protocol::describe))
}

/// Removes expired uploads until the disk stops.
pub(crate) fn keep_sweeping(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    tokio::spawn(async move { duties.repeat(&EXPIRY, stopped, || sweep(weak.upgrade())).await });
}

async fn sweep(host: Option<Host>) -> anyhow::Result<()> {
    let Some(host) = host else { return Ok(()) };
    let swept = blocking(move || {
        host.uploads.sweep();
        Ok(())
    });
    Ok(swept.await?)
}
