//! The archive's bytes.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use disk_core::progress::Progress;

/// The archive's file. Bytes read from it are the displayed progress, and reading ends when the work is cancelled.
/// Bytes that are read again after a seek are no progress.
pub(super) struct Source<'a> {
    file: &'a File,
    progress: &'a Progress,
    position: u64,
    counted: &'a Cell<u64>,
}

impl<'a> Source<'a> {
    /// `counted` is the position up to which the file counts as read.
    pub(super) fn new(file: &'a File, progress: &'a Progress, counted: &'a Cell<u64>) -> Self {
        Self { file, progress, position: 0, counted }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let from = self.position.max(self.counted.get());
        self.position = self.position.saturating_add(read.try_into().unwrap_or(u64::MAX));
        self.counted.set(self.counted.get().max(self.position));
        self.progress.advance(self.position.saturating_sub(from)).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.file.seek(to)?;
        Ok(self.position)
    }
}

/// A reader with a limit that is raised step by step: for libraries that read headers of any size into memory.
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
