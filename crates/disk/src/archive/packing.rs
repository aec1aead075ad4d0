//! An archive as a file on the disk.

use std::io::{self, Write};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::own_like_folder;
use disk_core::progress::Progress;
use disk_core::staging::TemporaryFile;
use disk_core::transfer::{Destination, Site};
use disk_core::usage::{Reservation, measure};
use rustix::fs::fsync;

use super::{Algorithm, Choice, write};

/// The selection, the format, and the destination of the archive.
pub(crate) struct Packing {
    pub(crate) choice: Choice,
    pub(crate) algorithm: Algorithm,
    pub(crate) destination: Destination,
}

impl Packing {
    /// Refuses predictable failures, without changing anything.
    pub(crate) fn check(&self) -> DiskResult<()> {
        self.destination.check(false)
    }

    /// Packs and answers the name that the archive has.
    pub(crate) fn run(&self, progress: &Progress) -> DiskResult<String> {
        self.check()?;
        progress.expect(self.estimate());
        let Site { area, folder, room, .. } = self.destination.site()?;
        let staged = TemporaryFile::create(area)?;
        own_like_folder(&folder, &staged.file)?;
        let mut out = Output { file: &staged.file, room, progress, written: 0, refusal: None };
        let jail = &self.destination.files.jail;
        let buffered = io::BufWriter::with_capacity(BATCH, &mut out);
        let packed = write(jail, &self.choice.sources, self.algorithm, progress, buffered);
        if let Some(refusal) = out.refusal {
            return Err(refusal);
        }
        packed?;
        fsync(&staged.file)?;
        self.destination.put(&staged.place, out.room)
    }

    /// Size of the sources; an archive of stored files takes about as much.
    fn estimate(&self) -> u64 {
        let files = &self.destination.files;
        let one = |source: &super::Source| {
            let entry = files.jail.entry(&source.at).ok()?;
            measure(&entry.folder, &entry.name, files.ledger.stop_flag()).ok()
        };
        self.choice.sources.iter().filter_map(one).fold(0, u64::saturating_add)
    }
}

/// Written at once.
const BATCH: usize = 256 * 1024;

/// The file, with its quota and the wish to go on.
struct Output<'a> {
    file: &'a std::fs::File,
    room: Reservation,
    progress: &'a Progress,
    written: u64,
    /// Why it refused more.
    refusal: Option<DiskError>,
}

impl Output<'_> {
    fn allow(&mut self, more: u64) -> DiskResult<()> {
        self.written = self.written.saturating_add(more);
        self.room.grow_to(self.written)?;
        self.progress.advance(more)
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(refusal) = self.allow(bytes.len().try_into().unwrap_or(u64::MAX)) {
            self.refusal = Some(refusal);
            return Err(io::Error::other("refused"));
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
