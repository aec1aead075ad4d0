//! The names in a folder in the requested order. Packed for the sake of large folders: a hundred thousand names take
//! some megabytes, and each is one row of two dozen bytes.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use disk_core::jail::Meta;

use super::model::{SortKey, Sorting};
use super::natural;

/// An entry's metadata, once read.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The displayed metadata: a link's target where it has one.
    pub(super) seen: Meta,
    /// Whether the entry itself is a link.
    pub(super) link: bool,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    name: Span,
    key: Span,
    facts: Option<u32>,
    pub(super) folder: bool,
}

/// A stretch of the packed bytes.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    length: u16,
}

/// All entries of a folder.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    bytes: Vec<u8>,
    facts: Vec<Facts>,
    folders: usize,
}

impl Rows {
    /// Adds an entry, with facts if its metadata was read; the order may require that. An entry beyond 4 GiB of names
    /// is not added.
    pub(super) fn push(&mut self, name: &OsStr, folder: bool, facts: Option<Facts>) {
        let Some(name_span) = self.keep(|bytes| bytes.extend_from_slice(name.as_bytes())) else { return };
        let text = name.to_string_lossy();
        let Some(key) = self.keep(|bytes| natural::write_key(&text, bytes)) else { return };
        let facts = facts.and_then(|facts| {
            self.facts.push(facts);
            u32::try_from(self.facts.len() - 1).ok()
        });
        self.folders += usize::from(folder);
        self.rows.push(Row { name: name_span, key, facts, folder });
    }

    fn keep(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Option<Span> {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let span = u32::try_from(start).ok().zip(u16::try_from(self.bytes.len() - start).ok());
        span.map(|(start, length)| Span { start, length })
    }

    /// Folders first, then as requested, then by name so that the order is stable.
    pub(super) fn sort(&mut self, sorting: Sorting) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_unstable_by(|a, b| {
            let order = self.compare(a, b, sorting.by);
            b.folder.cmp(&a.folder).then(if sorting.asc { order } else { order.reverse() })
        });
        self.rows = rows;
    }

    fn compare(&self, a: &Row, b: &Row, by: SortKey) -> Ordering {
        let wanted = match by {
            SortKey::Name => Ordering::Equal,
            // A folder's own size is of no interest.
            SortKey::Size if a.folder && b.folder => Ordering::Equal,
            SortKey::Size => self.seen(a).map(|seen| seen.size).cmp(&self.seen(b).map(|seen| seen.size)),
            SortKey::Modified => self.seen(a).map(|seen| seen.modified).cmp(&self.seen(b).map(|seen| seen.modified)),
        };
        wanted.then_with(|| self.at(a.key).cmp(self.at(b.key))).then_with(|| self.at(a.name).cmp(self.at(b.name)))
    }

    fn seen(&self, row: &Row) -> Option<&Meta> {
        self.facts(row).map(|facts| &facts.seen)
    }

    fn at(&self, span: Span) -> &[u8] {
        let start = usize::try_from(span.start).unwrap_or(usize::MAX);
        self.bytes.get(start..start.saturating_add(span.length.into())).unwrap_or_default()
    }

    pub(super) fn name(&self, row: &Row) -> &OsStr {
        OsStr::from_bytes(self.at(row.name))
    }

    /// `None` before the metadata is read.
    pub(super) fn facts(&self, row: &Row) -> Option<&Facts> {
        self.facts.get(usize::try_from(row.facts?).ok()?)
    }

    /// At most `limit` rows from `offset`.
    pub(super) fn page(&self, offset: usize, limit: usize) -> &[Row] {
        let from = self.rows.get(offset..).unwrap_or_default();
        &from[..limit.min(from.len())]
    }

    pub(super) fn folders(&self) -> usize {
        self.folders
    }

    pub(super) fn files(&self) -> usize {
        self.rows.len() - self.folders
    }
}
