//! Creates a version: a read-only copy of the dataset's folder beside it.
//!
//! Where the file system can share blocks between files (Btrfs, XFS, bcachefs) the kernel does so while copying, and a
//! version takes no space until something changes. It counts in full to its owner's quota nevertheless: the blocks
//! become its own as soon as the dataset changes. Elsewhere the first version is a true copy, and later ones share
//! unchanged files with the version before by hard links. They never share an inode with the dataset itself: a
//! container or an open file could write into it and so change the version.

use std::io::Write;
use std::sync::Arc;

use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::progress::Progress;
use disk_core::space::Space;
use disk_core::staging::{Area, TemporaryFile};
use disk_core::transfer::{Before, Clash, Origin, copy_tree_beside, place as put};
use disk_core::usage::{Allowance, measure};
use kernel::dataset::{DatasetOutcome, KeptBy, version_folder};
use rustix::fs::ioctl_ficlone;

use super::{count, difference, place};

pub(super) fn keep(
    files: &FileStore,
    folder: &str,
    number: i64,
    before: Option<i64>,
    allowance: &Allowance,
    progress: &Progress,
) -> DiskResult<DatasetOutcome> {
    let jail = &files.jail;
    let from = jail.entry(&place(folder))?;
    let to = jail.entry(&place(&version_folder(folder, number)))?;
    // The previous version may have been removed meanwhile.
    let before = before.and_then(|number| jail.find(&place(&version_folder(folder, number))).ok());
    let area = files.staging.area(jail, &to.folder, &to.folder_names)?;
    let reflinks = shares_blocks(&area)?;
    // It is there when an earlier report was lost.
    if to.meta()?.is_none() {
        let shared = before.as_ref().filter(|_| !reflinks).map(|found| &found.handle);
        // The size shared by hard links is only known while copying.
        let known = if shared.is_none() { measure(&from.folder, &from.name, files.ledger.stop_flag())? } else { 0 };
        let mut room = files.ledger.reserve(&Space::dataset(folder), allowance, known)?;
        let growing = shared.map(|before| Before { folder: before, room: &mut room });
        let staged = copy_tree_beside(&from, &to.folder, area, growing, progress)?;
        let origin = Origin::staged(files.staging.projects());
        put(origin, &staged.area.uploads, &staged.name, &to, Clash::Refuse)?;
        room.settle_roughly();
    }
    let kept = jail.find(&place(&version_folder(folder, number)))?;
    let count = count::count(&kept, progress)?;
    let (difference, linked) = difference::between(before.as_ref().map(|found| &found.handle), &kept.handle, progress)?;
    let by = match linked {
        _ if reflinks => KeptBy::Reflink,
        0 => KeptBy::Copy,
        _ if linked < count.files => KeptBy::Mixed,
        _ => KeptBy::HardLink,
    };
    Ok(DatasetOutcome::Kept { count, by, difference })
}

/// Whether copies on this file system share blocks.
fn shares_blocks(area: &Arc<Area>) -> DiskResult<bool> {
    let mut original = TemporaryFile::create(Arc::clone(area))?;
    let copy = TemporaryFile::create(Arc::clone(area))?;
    original.file.write_all(&[1; 4096]).map_err(DiskError::from)?;
    Ok(ioctl_ficlone(&copy.file, &original.file).is_ok())
}
