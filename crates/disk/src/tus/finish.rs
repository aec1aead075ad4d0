//! The end of an upload: the file is put into its place.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::incoming::{Staged, complete};
use disk_core::jail::Location;
use kernel::Actor;
use rustix::fs::{OFlags, Timespec, UTIME_NOW};
use tokio::sync::OwnedMutexGuard;

use super::record;
use super::upload::{Turn, Upload};
use crate::host::Host;
use crate::http::Validators;
use crate::intake::{Intake, UploadKind};
use crate::permissions::Permissions;

/// Puts a complete upload into its place, like any new file. If that is refused, because the name is taken or locked by
/// now, the upload stays and can be retried or removed.
pub(super) async fn finish(
    host: &Host,
    upload: &Arc<Upload>,
    mut turn: OwnedMutexGuard<Turn>,
    location: Location,
    by: (Actor, Permissions),
) -> DiskResult<Validators> {
    let (host, upload) = (host.clone(), Arc::clone(upload));
    blocking(move || {
        let file = record::open(&host.files.jail, &upload.area.tus, &upload.id, OFlags::RDWR)?;
        let modified = upload.record.modified().unwrap_or(Timespec { tv_sec: 0, tv_nsec: UTIME_NOW });
        let staged = Staged { folder: &upload.area.tus, name: upload.id.as_ref(), file: &file };
        let intake = Intake::of_admitted(&host, by, location, UploadKind::New { replace: upload.record.replace });
        let meta = complete(&staged, &mut turn.room, Some(modified), |staged| intake.place(staged, |_| Ok(())))?;
        host.uploads.finish(&upload, &mut turn);
        Ok(Validators::of(&meta))
    })
    .await
}
