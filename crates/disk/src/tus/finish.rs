//! The end of an upload: the file is put into its place.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::intake::Staged;
use disk_core::jail::Location;
use kernel::Actor;
use rustix::fs::{OFlags, Timespec, Timestamps, UTIME_NOW, fsync, futimens};
use tokio::sync::OwnedMutexGuard;

use super::record;
use super::upload::{Turn, Upload};
use crate::host::Host;
use crate::http::Validators;
use crate::permissions::Permissions;
use crate::resources::store;

/// Puts a complete upload into its place, like any new file. If that is refused, because the name is taken or locked by
/// now, the upload stays and can be retried or removed.
pub(super) async fn finish(
    host: &Host,
    upload: &Arc<Upload>,
    mut turn: OwnedMutexGuard<Turn>,
    location: Location,
    (by, may): (Actor, Permissions),
) -> DiskResult<Validators> {
    let (host, upload) = (host.clone(), Arc::clone(upload));
    blocking(move || {
        let file = record::open(&host.files.jail, &upload.area.tus, &upload.id, OFlags::RDWR)?;
        let modified = upload.record.modified().unwrap_or(Timespec { tv_sec: 0, tv_nsec: UTIME_NOW });
        futimens(&file, &Timestamps { last_access: modified, last_modification: modified })?;
        fsync(&file)?;
        // After a long upload there may be a lock that did not exist when it began.
        host.refuse_locked(&location, &by, false)?;
        let staged = Staged { folder: &upload.area.tus, name: upload.id.as_ref(), file: &file };
        let stored = store(&host.files, &location, upload.record.replace, may, &staged)?;
        if let Some(room) = turn.room.take() {
            room.settle(stored.meta.used, stored.freed);
        }
        host.uploads.finish(&upload, &mut turn);
        Ok(Validators::of(&stored.meta))
    })
    .await
}
