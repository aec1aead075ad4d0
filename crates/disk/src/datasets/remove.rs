//! Removes datasets: the folder is moved to the trash like any other, its versions are deleted permanently. Entries in
//! the trash keep counting to the dataset's owner.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::space::Space;
use kernel::dataset::{DatasetChore, DatasetOutcome, DatasetWork, version_folder};
use kernel::{Actor, Role};

use super::place;
use crate::host::Host;

pub(super) async fn remove(host: &Host, chore: &DatasetChore) -> DiskResult<DatasetOutcome> {
    let DatasetWork::Remove { by, by_name, numbers, whole, owner } = chore.work.clone() else {
        return Ok(DatasetOutcome::Done);
    };
    let settings = host.settings.get().await?;
    let (session, expires) = (String::new(), host.clock.now());
    let actor = Actor { id: by, username: by_name, role: Role::User, session, expires, token: None, folder: None };
    let (files, folder) = (Arc::clone(&host.files), chore.folder.clone());
    blocking(move || {
        for number in numbers {
            gone(files.remove(&place(&version_folder(&folder, number)), None))?;
        }
        if whole {
            let by = (settings.trash_days > 0).then_some(&actor);
            gone(files.remove(&place(&folder), by))?;
            if let Some(owner) = owner {
                let home = Space::Home(owner.username);
                files.trash.hand_over(&Space::dataset(&folder), &home, None, owner.id)?;
            }
        }
        Ok(DatasetOutcome::Done)
    })
    .await
}

/// A missing folder counts as removed.
fn gone(removed: DiskResult<()>) -> DiskResult<()> {
    match removed {
        Err(DiskError::NotFound) => Ok(()),
        other => other,
    }
}
