//! Whether a person may read a file, for callers that need nothing else.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::jail::{Kind, VirtualPath};
use kernel::Actor;

use crate::host::Host;
use crate::http::Member;
use crate::permissions::require;

/// Checks with the person's own permissions. An error gives the reason for a refusal, or that the disk failed.
pub(crate) async fn is_readable(host: &Host, person: Actor, path: &str) -> DiskResult<bool> {
    let path = VirtualPath::from_decoded(path)?;
    let member = Member::by_actor(host, person).await?;
    require(member.may.download)?;
    let jail = Arc::clone(&host.files.jail);
    blocking(move || Ok(jail.find(&member.view.existing(&path)?)?.meta.kind == Kind::File)).await
}
