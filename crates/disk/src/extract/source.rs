//! The archive's bytes.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::tasks::Progress;

/// The archive's file. Reading it is the progress that is shown, and ends when the work is not
/// wanted any more.
pub(super) struct Source<'a> {
    pub(super) file: &'a File,
    pub(super) progress: &'a Progress,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.progress.advance(read.try_into().unwrap_or(u64::MAX)).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A reader that gives only so much until it is allowed more: for libraries that read headers of
/// any size into memory.
pub(super) struct Limited<'a, R> {
    inner: R,
    left: &'a Cell<u64>,
}

impl<'a, R> Limited<'a, R> {
    pub(super) fn new(inner: R, left: &'a Cell<u64>) -> Self {
        Self { inner, left }
    }
}

impl<R: Seek> Seek for Limited<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.left.get().checked_sub(read.try_into().unwrap_or(u64::MAX));
        self.left.set(left.ok_or_else(|| io::Error::other("headers too large"))?);
        Ok(read)
    }
}
