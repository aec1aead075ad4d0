//! Common parts of both formats.

use std::fs::File;
use std::io::{self, Read, Write};

use disk_core::error::DiskResult;
use disk_core::jail::Meta;
use disk_core::progress::Progress;

/// Size of one read; also of the writers' buffers.
pub(super) const BUFFER_BYTES: usize = 256 * 1024;

/// An archive that is being written. Paths are clean and relative, `a/b`, and come once.
pub(super) trait Format {
    fn folder(&mut self, path: &str, meta: &Meta) -> DiskResult<()>;
    fn file(&mut self, path: &str, meta: &Meta, file: &File) -> DiskResult<()>;
}

/// Reports each packed entry, and stops when the work is cancelled.
pub(super) struct Counted<'a, F> {
    pub(super) progress: &'a Progress,
    pub(super) to: &'a mut F,
}

impl<F: Format> Format for Counted<'_, F> {
    fn folder(&mut self, path: &str, meta: &Meta) -> DiskResult<()> {
        self.to.folder(path, meta)?;
        self.progress.entry()
    }

    fn file(&mut self, path: &str, meta: &Meta, file: &File) -> DiskResult<()> {
        self.to.file(path, meta, file)?;
        self.progress.entry()
    }
}

/// Copies at most `most` bytes and returns their number: a file may grow and shrink while it is read.
pub(super) fn copy(mut file: &File, most: u64, buffer: &mut [u8], out: &mut impl Write) -> io::Result<u64> {
    let mut copied = 0;
    while copied < most {
        let room = usize::try_from(most - copied).unwrap_or(usize::MAX).min(buffer.len());
        let read = match file.read(&mut buffer[..room]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        out.write_all(&buffer[..read])?;
        copied += u64::try_from(read).unwrap_or(u64::MAX);
    }
    Ok(copied)
}
