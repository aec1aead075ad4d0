//! Unpacking archives on the disk: zip, tar in the usual compressions, 7z, single compressed
//! files.
//!
//! An archive is somebody else's word. Its content is written to a folder of the staging area
//! that nobody sees, through handles and never through a link, so that no entry lands outside;
//! what is unsafe or no file is left out and counted. Bytes, entries, depth and growth are
//! bounded. When everything is there the folder is renamed into its place; a failure, a
//! cancellation or a crash leaves nothing behind.

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

use rustix::io::Errno;

use crate::error::DiskError;

/// What reading an archive failed with. Errors of the system stay what they are; all others come
/// from the archive itself.
fn damaged(error: &io::Error) -> DiskError {
    match Errno::from_io_error(error) {
        Some(errno) => errno.into(),
        None => DiskError::bad_request("the archive is damaged"),
    }
}

fn unsupported(what: &'static str) -> DiskError {
    DiskError::bad_request(what)
}
