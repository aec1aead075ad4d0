//! What is compressed: a tar, or a single file.

use std::io::{BufReader, Chain, Cursor, Read};

use super::format::{Compression, HEAD_BYTES, is_tar};
use super::names::EntryPath;
use super::source::Source;
use super::tree::{Attributes, Tree};
use super::{damaged, tar};
use crate::error::DiskResult;

/// What a file is called whose archive has no name of its own.
const UNNAMED: &str = "content";

/// Unpacks; a single file gets the archive's name without its last ending.
pub(super) fn unpack(
    source: Source<'_>,
    compression: Compression,
    archive_name: &str,
    tree: &mut Tree<'_>,
) -> DiskResult<()> {
    let packed = BufReader::with_capacity(HEAD_BYTES * 512, source);
    let (head, mut content) = peek(compression.decoder(packed)?)?;
    if is_tar(&head) {
        return tar::unpack(&mut content, tree);
    }
    let stem = archive_name.rsplit_once('.').map_or(archive_name, |(stem, _)| stem);
    let path = EntryPath::parse(stem).or_else(|| EntryPath::parse(UNNAMED));
    match path {
        Some(path) => tree.file(&path, Attributes::default(), &mut content),
        None => tree.skip(),
    }
}

/// The first bytes, and all bytes.
fn peek<R: Read>(mut content: R) -> DiskResult<(Vec<u8>, Chain<Cursor<Vec<u8>>, R>)> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let most = HEAD_BYTES.try_into().unwrap_or(u64::MAX);
    content.by_ref().take(most).read_to_end(&mut head).map_err(|error| damaged(&error))?;
    Ok((head.clone(), Cursor::new(head).chain(content)))
}
