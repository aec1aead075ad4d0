//! Creates a dataset's folder: empty, or from a folder of a person on the disk.
//!
//! The folder has the dataset's id as an attribute, which shows a repetition that the work is done. A folder without it
//! is foreign, and is adopted only if an administrator requested it.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Location, VirtualPath, attribute, make_folder, set_attribute};
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use disk_core::transfer::{Action, Change, Clash};
use kernel::dataset::{DatasetChore, DatasetOutcome, DatasetSource};

use super::place;
use crate::host::Host;
use crate::http::Member;
use crate::permissions::require;

const ATTRIBUTE: &str = "user.yunlab.dataset";

pub(super) async fn make(
    host: &Host,
    chore: &DatasetChore,
    source: Option<&DatasetSource>,
    adopt: bool,
    progress: Progress,
) -> DiskResult<DatasetOutcome> {
    let change = match source {
        Some(source) => Some(change(host, chore, source).await?),
        None => None,
    };
    let (jail, folder, id) = (Arc::clone(&host.files.jail), chore.folder.clone(), chore.dataset.clone());
    blocking(move || {
        let entry = jail.entry(&place(&folder))?;
        if entry.meta()?.is_some() {
            let known = attribute(&entry.folder, &entry.name, ATTRIBUTE).is_ok_and(|mark| mark == id.as_bytes());
            let adopted = adopt && change.is_none() && entry.meta()?.is_some_and(|meta| meta.is_folder());
            if !known && !adopted {
                return Err(DiskError::conflict(Reason::Exists));
            }
        } else {
            match &change {
                Some(change) => change.run(&progress).map(drop)?,
                None => make_folder(&entry.folder, &entry.name).map(drop)?,
            }
        }
        // Not every file system has attributes; then only a lost report is harder to mend.
        if let Err(error) = set_attribute(&entry.folder, &entry.name, ATTRIBUTE, id.as_bytes()) {
            tracing::debug!(dataset.folder = folder, error = %error, "a dataset's folder can't be marked");
        }
        Ok(DatasetOutcome::Done)
    })
    .await
}

/// The same checks as for a copy or move that the person makes themselves.
async fn change(host: &Host, chore: &DatasetChore, source: &DatasetSource) -> DiskResult<Change> {
    let member = Member::in_name_of(host, source.person).await?;
    let path = VirtualPath::from_decoded(&source.path)?;
    let (action, from) = if source.copy {
        require(member.may.create && member.may.download)?;
        (Action::Copy, member.view.existing(&path)?)
    } else {
        require(member.may.rename)?;
        (Action::Rename, member.view.writable(&path)?)
    };
    if from.fixed {
        return Err(DiskError::Forbidden);
    }
    let found = from.clone();
    let looking = Arc::clone(&host.files);
    let is_folder = blocking(move || Ok(looking.jail.entry(&found)?.meta()?.is_some_and(|meta| meta.is_folder())));
    if !is_folder.await? {
        return Err(DiskError::NotFound);
    }
    let target = Location { access: from.access.clone(), ..place(&chore.folder) };
    let allowance = member.allowance(host, &target.space).await?;
    let (clash, may_modify) = (Clash::Refuse, false);
    let files = Arc::clone(&host.files);
    Ok(Change { files, action, clash, may_modify, source: from, target, allowance, by: None })
}
