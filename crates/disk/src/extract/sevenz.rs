//! Unpacking 7z.

use std::io::Read;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Moment;
use disk_core::reason::Reason;
use sevenz_rust2::{ArchiveEntry, ArchiveReader, EncoderMethod, Error, Password};

use super::names::EntryPath;
use super::source::Source;
use super::tree::{Attributes, Tree};
use super::{damaged, sevenz_header};

/// Maximum dictionary of a decoder, which it keeps in memory. The strongest common level has 64 MiB.
const MAX_DICTIONARY: u64 = 256 * 1024 * 1024;
/// Set where the upper half of the attributes is a Unix mode.
const HAS_UNIX_MODE: u32 = 0x8000;
const KIND: u32 = 0o170_000;
/// A link's text.
const MAX_LINK_BYTES: u64 = 4096;
/// From 1601, where Windows begins to count, to 1970.
const SECONDS_TO_1970: i64 = 11_644_473_600;

pub(super) fn unpack(mut source: Source<'_>, tree: &mut Tree<'_>) -> DiskResult<()> {
    sevenz_header::check(&mut source)?;
    let mut reader = ArchiveReader::new(source, Password::empty()).map_err(refused)?;
    reader.set_thread_count(1);
    let archive = reader.archive();
    let coders = archive.blocks.iter().flat_map(|block| &block.coders);
    if coders.map(|coder| dictionary(coder.encoder_method_id(), coder.properties())).any(|size| size > MAX_DICTIONARY) {
        return Err(DiskError::bad_request(Reason::ArchiveMemory));
    }
    let bytes = archive.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    tree.budget.check_announced(bytes, archive.files.len().try_into().unwrap_or(u64::MAX))?;
    let mut failure = None;
    let ended = reader.for_each_entries(|file, content| {
        entry(file, content, tree).map(|()| true).map_err(|error| {
            failure = Some(error);
            Error::Other("stopped".into())
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None => ended.map_err(refused),
    }
}

fn entry(file: &ArchiveEntry, mut content: &mut dyn Read, tree: &mut Tree<'_>) -> DiskResult<()> {
    let mode = (file.windows_attributes & HAS_UNIX_MODE != 0).then_some(file.windows_attributes >> 16);
    let attributes = Attributes::new(mode, file.has_last_modified_date.then(|| modified(file)));
    match (EntryPath::parse(&file.name), mode.unwrap_or_default() & KIND) {
        _ if file.is_anti_item => tree.skip()?,
        (Some(path), _) if file.is_directory => tree.folder(&path, attributes)?,
        (Some(path), 0o120_000) => {
            let mut text = Vec::new();
            content.take(MAX_LINK_BYTES).read_to_end(&mut text).map_err(|error| damaged(&error))?;
            tree.link(&path, &text)?;
        }
        (Some(path), 0 | 0o100_000) => tree.file(&path, attributes, &mut content)?,
        _ => tree.skip()?,
    }
    // The next entries of the same block can only be reached through this one.
    tree.pass_over(&mut content)
}

fn modified(file: &ArchiveEntry) -> Moment {
    let ticks = u64::from(file.last_modified_date);
    let seconds = i64::try_from(ticks / 10_000_000).unwrap_or_default() - SECONDS_TO_1970;
    Moment { seconds, nanos: u32::try_from(ticks % 10_000_000).unwrap_or_default() * 100 }
}

/// Bytes that this step keeps.
fn dictionary(method: &[u8], properties: &[u8]) -> u64 {
    match (method, properties) {
        (EncoderMethod::ID_LZMA, [_, a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]).into(),
        // Two or three times a power of two.
        (EncoderMethod::ID_LZMA2, [bits, ..]) => u64::from(bits & 1 | 2) << (u32::from((*bits).min(40)) / 2 + 11),
        _ => 0,
    }
}

fn refused(error: Error) -> DiskError {
    match error {
        Error::Io(error, _) | Error::MaybeBadPassword(error) => damaged(&error),
        Error::PasswordRequired => DiskError::bad_request(Reason::ArchiveEncrypted),
        Error::UnsupportedCompressionMethod(_) | Error::Unsupported(_) | Error::ExternalUnsupported => {
            DiskError::bad_request(Reason::ArchiveUnsupported)
        }
        _ => DiskError::bad_request(Reason::ArchiveDamaged),
    }
}
