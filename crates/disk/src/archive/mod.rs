//! Archives of files and folders, written in one pass to any output: a download, a share, a new file.
//!
//! [`choose`] selects the entries and the name of the archive, [`write`] packs them, and [`answer`] does so as a
//! download. Links, pipes, sockets and devices are left out, and so are entries that a rule denies. Archives are not
//! read here.

mod algorithm;
mod answer;
mod choose;
mod context;
mod format;
mod ignore;
mod names;
mod packing;
mod tar;
mod walk;
mod zip;

use std::io::Write;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Jail;
use disk_core::progress::Progress;

pub(crate) use algorithm::Algorithm;
pub(crate) use answer::answer;
pub(crate) use choose::{Choice, choose, choose_paths};
pub use context::ContextError;
pub(crate) use context::pack as pack_context;
pub(crate) use packing::Packing;
pub(crate) use walk::Source;

/// Packs the sources. After a failure the output is no valid archive, and the caller must not present it as one. Ends
/// with the first error of `out`, and after the entry at which `progress` was cancelled.
///
/// # Errors
/// The jail's errors for a source, failures of reading, and those of `out`.
pub(crate) fn write(
    jail: &Jail,
    sources: &[Source],
    algorithm: Algorithm,
    progress: &Progress,
    mut out: impl Write,
) -> DiskResult<()> {
    match algorithm {
        Algorithm::Zip => zip::write(jail, sources, progress, &mut out)?,
        Algorithm::Tar => {
            tar::write(jail, sources, progress, &mut out)?;
        }
        // The fast levels: a network between two machines of one lab is faster than the CPU.
        Algorithm::TarGz => {
            let gz = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
            tar::write(jail, sources, progress, gz)?.finish()?;
        }
        Algorithm::TarBz2 => {
            let bz2 = bzip2::write::BzEncoder::new(&mut out, bzip2::Compression::fast());
            tar::write(jail, sources, progress, bz2)?.finish()?;
        }
        // Level 1 takes 9 MiB; the usual 6 takes 94.
        Algorithm::TarXz => {
            tar::write(jail, sources, progress, liblzma::write::XzEncoder::new(&mut out, 1))?.finish()?;
        }
        Algorithm::TarLz4 => {
            let lz4 = lz4_flex::frame::FrameEncoder::new(&mut out);
            tar::write(jail, sources, progress, lz4)?.finish().map_err(DiskError::internal)?;
        }
        Algorithm::TarSz => {
            let mut sz = tar::write(jail, sources, progress, snap::write::FrameEncoder::new(&mut out))?;
            sz.flush()?;
        }
        Algorithm::TarZst => {
            let zst = zstd::stream::write::Encoder::new(&mut out, 1)?;
            tar::write(jail, sources, progress, zst)?.finish()?;
        }
        Algorithm::TarBr => {
            // Quality 1 of 11, and a window of 4 MiB.
            let br = brotli::CompressorWriter::new(&mut out, 64 * 1024, 1, 22);
            tar::write(jail, sources, progress, br)?.flush()?;
        }
    }
    Ok(out.flush()?)
}
