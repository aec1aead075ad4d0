//! File systems with a usage set by the test.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use portal::{FileSystemRoom, FileSystems};

/// One file system for all folders; it does not answer until its usage is set. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct FakeFileSystems(Arc<Mutex<Option<FileSystemRoom>>>);

impl FakeFileSystems {
    /// Sets the usage in percent.
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
