//! Tasks that unpack and pack archives.

use std::sync::Arc;

use serde::Deserialize;
use utoipa::ToSchema;

use super::model::Task;
use super::{Job, Kind};
use crate::error::{DiskError, DiskResult};
use crate::extract::Extraction;
use crate::host::Host;
use crate::http::{Member, blocking};
use crate::jail::VirtualPath;
use crate::permissions::require;
use crate::transfer::Clash;

/// What is to be done. Paths are decoded and begin at the viewer's root.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum NewTask {
    /// Unpack an archive: zip, tar (also compressed), 7z, or a single compressed file.
    Extract {
        /// The archive.
        path: String,
        /// The folder that is made for its content.
        destination: String,
        #[serde(flatten)]
        taken: Taken,
    },
}

/// What happens when the destination's name is taken; without either that is 409.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(super) struct Taken {
    /// A file replaces a file, a folder's content goes into a folder.
    r#override: bool,
    /// `name(1)`, `name(2)` and so on is used.
    rename: bool,
}

/// Checks what can be checked at once and starts the rest.
pub(super) async fn start(host: Host, member: Member, wanted: NewTask) -> DiskResult<Arc<Task>> {
    require(member.may.download)?;
    require(member.may.create)?;
    match wanted {
        NewTask::Extract { path, destination, taken } => {
            let (source, to) = (VirtualPath::from_decoded(&path)?, VirtualPath::from_decoded(&destination)?);
            if to.is_root() {
                return Err(DiskError::bad_request("the root"));
            }
            let target = member.view.writable(&to)?;
            let quota = member.quota(&host, &target.space).await?;
            let (clash, may_modify) = (Clash::asked(taken.rename, taken.r#override), member.may.modify);
            let location = member.view.existing(&source)?;
            let work = Extraction { host: host.clone(), source: location, target, clash, may_modify, quota };
            let work = blocking(move || work.check().map(|()| work)).await?;
            let job = Job { owner: member.actor.id, kind: Kind::Extract, source, destination: to.clone() };
            host.tasks.start(job, move |progress| Ok(to.parent().join(&work.run(progress)?)))
        }
    }
}
