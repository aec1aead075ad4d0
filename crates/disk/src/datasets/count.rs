//! How much a dataset holds.

use std::thread;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{FOLDER, Found, Kind, Meta, is_reserved, names_in};
use disk_core::progress::Progress;
use disk_core::transfer::MAX_LEVELS;
use kernel::dataset::DatasetCount;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

/// Maximum number of counted entries; a larger folder is reported as "at least".
const MOST_ENTRIES: u64 = 5_000_000;
/// Entries between two moments in which others get the processor.
const AT_A_STRETCH: u64 = 256;

/// Counts the files in a folder, links not followed, other mounts left out.
pub(super) fn count(found: &Found, progress: &Progress) -> DiskResult<DatasetCount> {
    if !found.meta.is_folder() {
        return Err(DiskError::NotFound);
    }
    let mut walk = Walk { mount: found.meta.mount, entries: 0, counted: DatasetCount::default(), progress };
    let whole = walk.folder(&found.handle, MAX_LEVELS)?;
    Ok(DatasetCount { whole, ..walk.counted })
}

struct Walk<'a> {
    mount: u64,
    entries: u64,
    counted: DatasetCount,
    progress: &'a Progress,
}

impl Walk<'_> {
    /// False when some entries could not be counted.
    fn folder(&mut self, folder: &OwnedFd, levels: usize) -> DiskResult<bool> {
        let mut whole = levels > 0;
        for name in names_in(folder)?.into_iter().filter(|name| !is_reserved(name.as_encoded_bytes())) {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Ok(false);
            }
            if self.entries.is_multiple_of(AT_A_STRETCH) {
                self.progress.check()?;
                thread::yield_now();
            }
            // Entries that vanish meanwhile do not count.
            let Ok(meta) = Meta::at(folder, name.as_os_str()) else { continue };
            match meta.kind {
                Kind::File => {
                    self.counted.files += 1;
                    self.counted.size = self.counted.size.saturating_add(meta.size);
                }
                Kind::Folder if meta.mount == self.mount && levels > 0 => {
                    match openat(folder, name.as_os_str(), FOLDER, Mode::empty()) {
                        Ok(below) => whole &= self.folder(&below, levels - 1)?,
                        Err(Errno::NOENT | Errno::NOTDIR) => {}
                        Err(Errno::ACCESS) => whole = false,
                        Err(other) => return Err(other.into()),
                    }
                }
                Kind::Folder | Kind::Link | Kind::Special(_) => {}
            }
        }
        Ok(whole)
    }
}
