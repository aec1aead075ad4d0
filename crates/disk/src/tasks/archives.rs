//! Tasks that unpack and pack archives.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::reason::Reason;
use disk_core::transfer::{Clash, Destination};
use serde::Deserialize;
use utoipa::ToSchema;

use super::task::Task;
use super::{Job, Kind};
use crate::archive::{Algorithm, Packing, choose_paths};
use crate::extract::Extraction;
use crate::host::Host;
use crate::http::Member;
use crate::permissions::require;

/// Maximum number of named entries of one archive.
const MAX_PATHS: usize = 10_000;

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
    /// Pack files and folders.
    Compress {
        /// What goes in, each named from the folder that all lie in.
        paths: Vec<String>,
        /// The archive.
        destination: String,
        format: Algorithm,
        #[serde(flatten)]
        taken: Taken,
    },
}

impl NewTask {
    /// The paths that it reads.
    pub(super) fn sources(&self) -> Vec<VirtualPath> {
        let said: &[String] = match self {
            Self::Extract { path, .. } => std::slice::from_ref(path),
            Self::Compress { paths, .. } => paths,
        };
        said.iter().filter_map(|path| VirtualPath::from_decoded(path).ok()).collect()
    }
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

/// Checks everything that can be checked at once, and starts the task.
pub(super) async fn start(host: Host, member: Member, wanted: NewTask) -> DiskResult<Arc<Task>> {
    require(member.may.download)?;
    require(member.may.create)?;
    let owner = member.actor.id;
    match wanted {
        NewTask::Extract { path, destination, taken } => {
            let source = VirtualPath::from_decoded(&path)?;
            let (to, destination) = find(&host, &member, &destination, taken).await?;
            let work = Extraction { source: member.view.existing(&source)?, destination };
            let work = blocking(move || work.check().map(|()| work)).await?;
            let job = Job { owner, kind: Kind::Extract, source, destination: to.clone(), awaited: false };
            host.tasks.start(job, move |progress| Ok(to.parent().join(&work.run(progress)?)))
        }
        NewTask::Compress { paths, destination, format, taken } => {
            let source = one_or_folder(&paths)?;
            let (to, destination) = find(&host, &member, &destination, taken).await?;
            let asking = host.clone();
            let work = blocking(move || {
                let paths = paths.iter().map(|path| VirtualPath::from_decoded(path)).collect::<Result<_, _>>()?;
                let choice = choose_paths(&asking.files.jail, &member.view, paths)?;
                let work = Packing { choice, algorithm: format, destination };
                work.check().map(|()| work)
            })
            .await?;
            let job = Job { owner, kind: Kind::Compress, source, destination: to.clone(), awaited: false };
            host.tasks.start(job, move |progress| Ok(to.parent().join(&work.run(progress)?)))
        }
    }
}

/// The path that the task shows as its source.
fn one_or_folder(paths: &[String]) -> DiskResult<VirtualPath> {
    match paths {
        [] => Err(DiskError::bad_request(Reason::PathsMissing)),
        [one] => Ok(VirtualPath::from_decoded(one)?),
        [first, ..] if paths.len() <= MAX_PATHS => Ok(VirtualPath::from_decoded(first)?.parent()),
        _ => Err(DiskError::TooLarge),
    }
}

async fn find(host: &Host, member: &Member, path: &str, taken: Taken) -> DiskResult<(VirtualPath, Destination)> {
    let path = VirtualPath::from_decoded(path)?;
    if path.is_root() {
        return Err(DiskError::bad_request(Reason::IsRoot));
    }
    let location = member.view.writable(&path)?;
    host.refuse_locked(&location, &member.actor, true)?;
    let allowance = member.allowance(host, &location.space).await?;
    let (clash, may_modify) = (Clash::asked(taken.rename, taken.r#override), member.may.modify);
    let files = Arc::clone(&host.files);
    Ok((path, Destination { files, location, clash, may_modify, allowance }))
}
