//! Compressed streams: a tar, or a single file.

use std::io::{BufReader, Read};

use disk_core::error::DiskResult;

use super::format::{Compression, HEAD_BYTES, is_tar};
use super::names::EntryPath;
use super::source::Source;
use super::tree::{Attributes, Tree};
use super::{damaged, tar};

/// Name of a file whose archive has no name of its own.
const UNNAMED: &str = "content";

/// Unpacks; a single file gets the archive's name without its last ending.
pub(super) fn unpack(
    source: Source<'_>,
    compression: Compression,
    archive_name: &str,
    tree: &mut Tree<'_>,
) -> DiskResult<()> {
    let packed = BufReader::with_capacity(HEAD_BYTES * 512, source);
    let mut content = compression.decoder(packed)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let most = HEAD_BYTES.try_into().unwrap_or(u64::MAX);
    content.by_ref().take(most).read_to_end(&mut head).map_err(|error| damaged(&error))?;
    let is_tar = is_tar(&head);
    let mut content = head.as_slice().chain(content);
    if is_tar {
        return tar::unpack(&mut content, tree);
    }
    let stem = archive_name.rsplit_once('.').map_or(archive_name, |(stem, _)| stem);
    let path = EntryPath::parse(stem).or_else(|| EntryPath::parse(UNNAMED));
    match path {
        Some(path) => tree.file(&path, Attributes::default(), &mut content),
        None => tree.skip(),
    }
}
