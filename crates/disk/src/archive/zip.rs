//! Zip, streamed: sizes and checksums follow the content, large files and archives are Zip64.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Meta};
use disk_core::progress::Progress;
use time::OffsetDateTime;
use zip::result::ZipError;
use zip::write::{FullFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::format::{BUFFER_BYTES, Counted, Format, copy};
use super::walk::{Source, walk};

/// From here on sizes get 64 bits; below 4 GiB by the worst expansion of compression.
const LARGE_BYTES: u64 = 0xFFFF_FFFF - 16 * 1024 * 1024;
/// Info-ZIP's "extended timestamp": seconds since 1970, without a time zone to guess.
const EXTENDED_TIMESTAMP: u16 = 0x5455;
/// Sample that decides whether content is worth compressing.
const SAMPLE_BYTES: usize = 16 * 1024;
/// Bits that a byte of the sample carries, from which on deflating is a waste of time.
const DENSE_BITS: f64 = 7.5;

/// Writes a whole zip.
pub(super) fn write(jail: &Jail, sources: &[Source], progress: &Progress, out: impl Write) -> DiskResult<()> {
    let out = UntilFailure { out, failed: false };
    let mut zip = Zip { writer: ZipWriter::new_stream(out), buffer: vec![0; BUFFER_BYTES] };
    walk(jail, sources, &mut Counted { progress, to: &mut zip })?;
    zip.writer.finish().map_err(of_zip)?;
    Ok(())
}

struct Zip<W: Write> {
    writer: ZipWriter<StreamWriter<UntilFailure<W>>>,
    buffer: Vec<u8>,
}

impl<W: Write> Format for Zip<W> {
    fn folder(&mut self, path: &str, meta: &Meta) -> DiskResult<()> {
        self.writer.add_directory(path, options(meta)?).map_err(of_zip)
    }

    fn file(&mut self, path: &str, meta: &Meta, file: &File) -> DiskResult<()> {
        let options = options(meta)?.large_file(meta.size >= LARGE_BYTES);
        let options = if is_dense(file, meta.size, &mut self.buffer[..SAMPLE_BYTES])? {
            options.compression_method(CompressionMethod::Stored)
        } else {
            options.compression_method(CompressionMethod::Deflated).compression_level(Some(1))
        };
        self.writer.start_file(path, options).map_err(of_zip)?;
        // A file that became shorter is complete as it is now: its size is written after it.
        copy(file, meta.size, &mut self.buffer, &mut self.writer)?;
        Ok(())
    }
}

fn options(meta: &Meta) -> DiskResult<FullFileOptions<'static, 'static>> {
    let mut options = FullFileOptions::default().unix_permissions(meta.mode & 0o777);
    // An entry with a time outside of this range, 1980 to 2107, gets the first one.
    options = options.last_modified_time(dos_time(meta.modified.seconds).unwrap_or_default());
    if let Ok(seconds) = i32::try_from(meta.modified.seconds) {
        let mut field = [1, 0, 0, 0, 0];
        field[1..].copy_from_slice(&seconds.to_le_bytes());
        options.add_extra_field(EXTENDED_TIMESTAMP, field, false).map_err(of_zip)?;
    }
    Ok(options)
}

fn dos_time(seconds: i64) -> Option<DateTime> {
    let at = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    let year = u16::try_from(at.year()).ok()?;
    DateTime::from_date_and_time(year, at.month().into(), at.day(), at.hour(), at.minute(), at.second()).ok()
}

/// Whether content is compressed already, by a sample from the middle, away from headers.
fn is_dense(file: &File, size: u64, sample: &mut [u8]) -> io::Result<bool> {
    let read = file.read_at(sample, (size / 2).saturating_sub(SAMPLE_BYTES as u64 / 2))?;
    Ok(bits_per_byte(&sample[..read]) > DENSE_BITS)
}

/// The entropy of the bytes, each on its own.
fn bits_per_byte(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * share.log2())
        .sum()
}

fn of_zip(error: ZipError) -> DiskError {
    match error {
        ZipError::Io(error) => error.into(),
        other => DiskError::internal(other),
    }
}

/// Passes output on until a write fails, then discards the rest: the library ends an archive even after it was
/// abandoned, and prints to standard error if it cannot.
struct UntilFailure<W> {
    out: W,
    failed: bool,
}

impl<W: Write> Write for UntilFailure<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.failed = written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed { Ok(()) } else { self.out.flush() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dense() {
        assert!(bits_per_byte(&[]) == 0.0 && bits_per_byte(&[7; 100]) == 0.0);
        let all: Vec<u8> = (0..=255).cycle().take(SAMPLE_BYTES).collect();
        assert!(bits_per_byte(&all) > 7.99);
        assert!(bits_per_byte("the quick brown fox jumps over the lazy dog".as_bytes()) < 5.0);
    }

    #[test]
    fn times_out_of_range() {
        assert_eq!(dos_time(1_800_000_000).map(|at| at.year()), Some(2027));
        assert!(dos_time(0).is_none() && dos_time(i64::MAX).is_none() && dos_time(-1).is_none());
    }
}
