//! Limits of one archive's extracted size.

use disk_core::error::{DiskError, DiskResult};
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use disk_core::usage::Reservation;
use rustix::fd::OwnedFd;
use rustix::fs::fstatvfs;

/// Files, folders and links, including those left out. Each costs an inode.
pub(super) const MAX_ENTRIES: u64 = 1_000_000;
/// Deflate packs zeros 1030 times smaller and real data far less; an archive above this is meant to fill the disk.
const MAX_GROWTH: u64 = 1000;
/// Small archives may grow to this anyhow.
const ALWAYS_ALLOWED: u64 = 64 * 1024 * 1024;
/// Bytes written between two checks of the free space.
const LOOK_EVERY: u64 = 64 * 1024 * 1024;
/// Minimum allocation of a file system.
const BLOCK: u64 = 4096;

/// Counts against the limits, the quota and the disk's room.
pub(super) struct Budget<'a> {
    room: Reservation,
    progress: &'a Progress,
    most_bytes: u64,
    bytes: u64,
    entries: u64,
    /// Whole blocks of finished files.
    taken: u64,
    next_look: u64,
}

impl<'a> Budget<'a> {
    pub(super) fn new(room: Reservation, progress: &'a Progress, archive_bytes: u64) -> Self {
        let most_bytes = archive_bytes.saturating_mul(MAX_GROWTH).max(ALWAYS_ALLOWED);
        Self { room, progress, most_bytes, bytes: 0, entries: 0, taken: 0, next_look: 0 }
    }

    /// Refuses by the announced sizes of the archive, before anything is written.
    pub(super) fn check_announced(&self, bytes: u64, entries: u64) -> DiskResult<()> {
        if entries > MAX_ENTRIES {
            return Err(too_many());
        }
        if bytes > self.most_bytes { Err(grows()) } else { Ok(()) }
    }

    /// Counts one more entry.
    pub(super) fn entry(&mut self) -> DiskResult<()> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(too_many());
        }
        self.progress.check()
    }

    /// Counts one entry that was left out.
    pub(super) fn skip(&mut self) -> DiskResult<()> {
        self.progress.skip();
        self.entry()
    }

    /// Counts the whole blocks of one finished entry.
    pub(super) fn finish(&mut self, bytes: u64) -> DiskResult<()> {
        self.taken = self.taken.saturating_add(bytes.next_multiple_of(BLOCK));
        self.room.grow_to(self.taken)?;
        self.progress.entry()
    }

    /// Counts extracted bytes, whether they are written or discarded.
    pub(super) fn pass(&mut self, more: u64) -> DiskResult<()> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > self.most_bytes { Err(grows()) } else { self.progress.check() }
    }

    /// Counts bytes of a file whose size is now `size`.
    pub(super) fn grow(&mut self, more: u64, size: u64, folder: &OwnedFd) -> DiskResult<()> {
        self.pass(more)?;
        self.room.grow_to(self.taken.saturating_add(size))?;
        if self.bytes >= self.next_look {
            self.next_look = self.bytes.saturating_add(LOOK_EVERY);
            let system = fstatvfs(folder)?;
            // The last hundredth is reserved for ordinary uploads.
            if system.f_bavail < system.f_blocks / 100 {
                return Err(DiskError::InsufficientStorage(Reason::DiskFull));
            }
        }
        Ok(())
    }

    /// The room that was set aside.
    pub(super) fn into_room(self) -> Reservation {
        self.room
    }
}

fn too_many() -> DiskError {
    DiskError::bad_request(Reason::ArchiveEntries)
}

fn grows() -> DiskError {
    DiskError::bad_request(Reason::ArchiveBomb)
}
