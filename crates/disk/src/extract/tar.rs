//! Unpacking tar.

use std::cell::Cell;
use std::io::Read;

use disk_core::error::DiskResult;
use disk_core::jail::Moment;
use tar::{Archive, EntryType};

use super::damaged;
use super::names::{Charset, EntryPath};
use super::source::Limited;
use super::tree::{Attributes, Tree};

/// Maximum size of headers before one entry: long names and extended attributes.
const MAX_HEADER_BYTES: u64 = 1024 * 1024;

pub(super) fn unpack(content: &mut dyn Read, tree: &mut Tree<'_>) -> DiskResult<()> {
    let left = Cell::new(MAX_HEADER_BYTES);
    let mut archive = Archive::new(Limited::new(content, &left));
    let mut entries = archive.entries().map_err(|error| damaged(&error))?;
    loop {
        left.set(MAX_HEADER_BYTES);
        let Some(entry) = entries.next() else { return Ok(()) };
        let mut entry = entry.map_err(|error| damaged(&error))?;
        // Content is counted where it is written.
        left.set(u64::MAX);
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader) {
            tree.pass_over(&mut entry)?;
            continue;
        }
        let path = parse(&entry.path_bytes());
        let modified = entry.header().mtime().ok().and_then(|seconds| i64::try_from(seconds).ok());
        let modified = modified.filter(|seconds| *seconds < 1 << 34).map(|seconds| Moment { seconds, nanos: 0 });
        let attributes = Attributes::new(entry.header().mode().ok(), modified);
        let linked = entry.link_name_bytes().map(|name| name.into_owned());
        match (kind, path, linked) {
            (EntryType::Directory, Some(path), _) => tree.folder(&path, attributes)?,
            (EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse, Some(path), _) => {
                tree.file(&path, attributes, &mut entry)?;
            }
            (EntryType::Symlink, Some(path), Some(text)) => tree.link(&path, &text)?,
            (EntryType::Link, Some(path), Some(first)) => match parse(&first) {
                Some(first) => tree.hard_link(&path, &first)?,
                None => tree.skip()?,
            },
            // `./` is the folder itself.
            (EntryType::Directory, None, _) if is_top(&entry.path_bytes()) => {}
            _ => tree.skip()?,
        }
        tree.pass_over(&mut entry)?;
    }
}

fn is_top(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/').all(|name| matches!(name, b"" | b"."))
}

fn parse(name: &[u8]) -> Option<EntryPath> {
    EntryPath::parse(&Charset::of(std::iter::once(name)).decode(name))
}
