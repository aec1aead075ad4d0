//! Disks that are as full as a test says.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use portal::{FileSystemRoom, FileSystems};

/// One file system for all folders; until a test says how full it is, it does not answer. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct FakeFileSystems(Arc<Mutex<Option<FileSystemRoom>>>);

impl FakeFileSystems {
    /// From now on, so many percent of it are used.
    pub fn fill(&self, percent: u64) {
        const SIZE: u64 = 1000 << 30;
        let used = SIZE / 100 * percent;
        let room = FileSystemRoom { device: 1, size: SIZE, used, available: SIZE - used };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(room);
    }

    /// It does not answer any more.
    pub fn hang(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl FileSystems for FakeFileSystems {
    fn room(&self, _: &Path) -> io::Result<FileSystemRoom> {
        let room = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        room.ok_or_else(|| io::Error::from(io::ErrorKind::TimedOut))
    }
}
