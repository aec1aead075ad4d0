//! A workload's log: for each line its time, its stream and its bytes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::fs::{Mode, OFlags};

use crate::logs::{MAX_LINE, frame};
use crate::procfs;

/// Bytes of one of its two files.
const FILE_SIZE: u64 = 50 << 20;

#[derive(Clone)]
pub(super) struct Log {
    folder: Arc<File>,
    file: Arc<Mutex<(File, u64)>>,
}

impl Log {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(folder.join("log"))?;
        let size = file.metadata()?.len();
        Ok(Self { folder: Arc::new(File::open(folder)?), file: Arc::new(Mutex::new((file, size))) })
    }

    /// Writes down all that comes.
    pub(super) fn follow(&self, stream: Option<impl Read + Send + 'static>, stderr: bool) -> JoinHandle<()> {
        let log = self.clone();
        thread::spawn(move || {
            let Some(stream) = stream else { return };
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while matches!(lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line), Ok(1..)) {
                // With a full disk the line is lost, and the program goes on.
                let _ = log.write(&frame(procfs::now(), stderr, &line));
                line.clear();
            }
        })
    }

    fn write(&self, frame: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.1 > FILE_SIZE {
            rustix::fs::renameat(&self.folder, "log", &self.folder, "log.1")?;
            let flags = OFlags::CREATE | OFlags::APPEND | OFlags::WRONLY | OFlags::CLOEXEC;
            let new = rustix::fs::openat(&self.folder, "log", flags, Mode::from_raw_mode(0o600))?;
            *file = (File::from(new), 0);
        }
        file.0.write_all(frame)?;
        file.1 += frame.len() as u64;
        Ok(())
    }
}
