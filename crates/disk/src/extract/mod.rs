//! Extraction of archives on the disk: zip, tar in the usual compressions, 7z, single compressed files.
//!
//! Archives are untrusted. Their content is written to a hidden folder of the staging area, through handles and never
//! through a link, so that no entry is written outside; unsafe entries and special files are left out and counted.
//! Bytes, entries, depth and growth are bounded. When everything is written the folder is renamed into its place; a
//! failure, a cancellation or a crash leaves nothing behind.

mod budget;
mod extraction;
mod format;
mod names;
mod sevenz;
mod sevenz_header;
mod single;
mod source;
mod tar;
#[cfg(test)]
mod tests;
mod tree;
mod zip;

pub(crate) use extraction::Extraction;
pub use names::EntryPath;

use std::io;

use disk_core::error::DiskError;
use disk_core::reason::Reason;
use rustix::io::Errno;

/// Maps an error of reading an archive. Errors of the system stay as they are; all others come from the archive itself.
fn damaged(error: &io::Error) -> DiskError {
    match Errno::from_io_error(error) {
        Some(errno) => errno.into(),
        None => DiskError::bad_request(Reason::ArchiveDamaged),
    }
}
