//! A reader of the bbolt file format. The whole file is in memory and every offset is checked, so that a damaged or
//! hostile file results in an error, never in a panic or an endless loop.
//!
//! No crate would do: bbolt-rs 1.3.10 refuses the files that File Browser 2.63 writes, and bolt-lite 0.1.0 checks
//! neither lengths nor loops.
//!
//! The format is that of <https://github.com/etcd-io/bbolt>: pages of one size; the first two hold a meta record each,
//! of which the newer valid one counts; a bucket is a B+ tree of branch and leaf pages, or a leaf page within its own
//! row.

use std::collections::HashSet;

const MAGIC: u32 = 0xED0C_DAED;
const VERSION: u32 = 2;
const PAGE_SIZES: [usize; 8] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
/// Id, flags, count and overflow.
const PAGE_HEADER: usize = 16;
/// Of a meta record, before its checksum.
const META_BYTES: usize = 56;
/// Of a bucket in its row, before an inline page.
const BUCKET_HEADER: usize = 16;
/// In branch and leaf pages alike.
const ELEMENT_BYTES: usize = 16;
const BRANCH_PAGE: u16 = 0x01;
const LEAF_PAGE: u16 = 0x02;
const BUCKET_ROW: u32 = 0x01;

/// Why a file can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoltError {
    /// Something else altogether.
    #[error("不是 bbolt 数据库")]
    Foreign,
    /// A format that this program does not know.
    #[error("bbolt 数据库的格式是第 {0} 版，本程序只认识第 2 版")]
    Version(u32),
    /// It does not hold together.
    #[error("数据库文件已损坏或不完整")]
    Damaged,
}

type BoltResult<T> = Result<T, BoltError>;

/// A row of a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    is_bucket: bool,
}

/// A whole database.
#[derive(Debug)]
pub(crate) struct Bolt {
    bytes: Vec<u8>,
    page_size: usize,
    root: u64,
}

/// The used part of a meta record.
#[derive(Clone, Copy, Debug)]
struct Meta {
    page_size: usize,
    root: u64,
    transaction: u64,
}

impl Bolt {
    pub(crate) fn open(bytes: Vec<u8>) -> BoltResult<Self> {
        let meta = newest_meta(&bytes)?;
        Ok(Self { bytes, page_size: meta.page_size, root: meta.root })
    }

    /// The rows of a bucket, by key, without the buckets in it; `None` when there is no such bucket.
    pub(crate) fn bucket(&self, name: &str) -> BoltResult<Option<Vec<Row<'_>>>> {
        let roots = self.rows(self.page(self.root)?, self.root)?;
        let Some(row) = roots.iter().find(|row| row.is_bucket && row.key == name.as_bytes()) else { return Ok(None) };
        let root = number_64(row.value, 0)?;
        let page = if root == 0 { part(row.value, BUCKET_HEADER..row.value.len())? } else { self.page(root)? };
        let rows = self.rows(page, root)?;
        Ok(Some(rows.into_iter().filter(|row| !row.is_bucket).collect()))
    }

    /// All rows of the tree below a page.
    fn rows<'a>(&'a self, root: &'a [u8], id: u64) -> BoltResult<Vec<Row<'a>>> {
        let mut rows = Vec::new();
        let mut seen = HashSet::from([id]);
        // In a sound file no two rows share bytes.
        let mut room = self.bytes.len();
        let mut waiting = vec![root];
        while let Some(page) = waiting.pop() {
            let elements = usize::from(number_16(page, 10)?);
            let elements = (0..elements).map(|index| PAGE_HEADER + index * ELEMENT_BYTES);
            match number_16(page, 8)? {
                LEAF_PAGE => {
                    for at in elements {
                        let row = leaf_row(page, at)?;
                        room = room.checked_sub(row.key.len() + row.value.len()).ok_or(BoltError::Damaged)?;
                        rows.push(row);
                    }
                }
                BRANCH_PAGE => {
                    // In reverse, because the stack is read from its end.
                    for at in elements.rev() {
                        let child = number_64(page, at + 8)?;
                        if !seen.insert(child) {
                            return Err(BoltError::Damaged);
                        }
                        waiting.push(self.page(child)?);
                    }
                }
                _ => return Err(BoltError::Damaged),
            }
        }
        Ok(rows)
    }

    /// A page with its overflow pages.
    fn page(&self, id: u64) -> BoltResult<&[u8]> {
        let id = usize::try_from(id).map_err(|_| BoltError::Damaged)?;
        let start = id.checked_mul(self.page_size).ok_or(BoltError::Damaged)?;
        let head = start.checked_add(12).ok_or(BoltError::Damaged)?;
        let pages = u64::from(number_32(&self.bytes, head)?) + 1;
        let length = usize::try_from(pages).ok().and_then(|pages| pages.checked_mul(self.page_size));
        let end = length.and_then(|length| start.checked_add(length)).ok_or(BoltError::Damaged)?;
        part(&self.bytes, start..end)
    }
}

/// Positions in an element count from the element itself.
fn leaf_row(page: &[u8], at: usize) -> BoltResult<Row<'_>> {
    let length = |offset| number_32(page, at + offset).and_then(|n| usize::try_from(n).map_err(|_| BoltError::Damaged));
    let key = at.checked_add(length(4)?).ok_or(BoltError::Damaged)?;
    let value = key.checked_add(length(8)?).ok_or(BoltError::Damaged)?;
    let end = value.checked_add(length(12)?).ok_or(BoltError::Damaged)?;
    let is_bucket = number_32(page, at)? & BUCKET_ROW != 0;
    Ok(Row { key: part(page, key..value)?, value: part(page, value..end)?, is_bucket })
}

/// The two meta records are in the first two pages, so the first gives the position of the second. If it is damaged,
/// the second is searched behind a page of each possible size.
fn newest_meta(bytes: &[u8]) -> BoltResult<Meta> {
    let first = meta(bytes, 0);
    let sizes = match &first {
        Ok(first) => vec![first.page_size],
        Err(_) => PAGE_SIZES.to_vec(),
    };
    let seconds = sizes.into_iter().map(|size| meta(bytes, size).and_then(|meta| meta.of_page_size(size)));
    let found: Vec<BoltResult<Meta>> = std::iter::once(first).chain(seconds).collect();
    let newest = found.iter().filter_map(|meta| meta.as_ref().ok()).max_by_key(|meta| meta.transaction);
    if let Some(newest) = newest {
        return Ok(*newest);
    }
    // The fault of the first page that is a meta record at all.
    let faults = found.into_iter().filter_map(Result::err);
    Err(faults.into_iter().find(|fault| *fault != BoltError::Foreign).unwrap_or(BoltError::Foreign))
}

fn meta(bytes: &[u8], page: usize) -> BoltResult<Meta> {
    let page = bytes.get(page..).unwrap_or_default();
    let record = page.get(PAGE_HEADER..).unwrap_or_default();
    if number_32(record, 0) != Ok(MAGIC) {
        return Err(BoltError::Foreign);
    }
    match number_32(record, 4)? {
        VERSION => {}
        other => return Err(BoltError::Version(other)),
    }
    if fnv1a(part(record, 0..META_BYTES)?) != number_64(record, META_BYTES)? {
        return Err(BoltError::Damaged);
    }
    let page_size = usize::try_from(number_32(record, 8)?).map_err(|_| BoltError::Damaged)?;
    let meta = Meta { page_size, root: number_64(record, 16)?, transaction: number_64(record, 48)? };
    if PAGE_SIZES.contains(&page_size) { Ok(meta) } else { Err(BoltError::Damaged) }
}

impl Meta {
    fn of_page_size(self, size: usize) -> BoltResult<Self> {
        if self.page_size == size { Ok(self) } else { Err(BoltError::Damaged) }
    }
}

/// FNV-1a with 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn part(bytes: &[u8], range: std::ops::Range<usize>) -> BoltResult<&[u8]> {
    bytes.get(range).ok_or(BoltError::Damaged)
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> BoltResult<[u8; N]> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or(BoltError::Damaged)
}

// bbolt writes numbers as the machine has them; File Browser runs on machines with the low byte first.
fn number_16(bytes: &[u8], at: usize) -> BoltResult<u16> {
    Ok(u16::from_le_bytes(bytes_at(bytes, at)?))
}

fn number_32(bytes: &[u8], at: usize) -> BoltResult<u32> {
    Ok(u32::from_le_bytes(bytes_at(bytes, at)?))
}

fn number_64(bytes: &[u8], at: usize) -> BoltResult<u64> {
    Ok(u64::from_le_bytes(bytes_at(bytes, at)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Bolt, BoltError};
    use crate::database::tests::sample;

    fn read_all(bytes: Vec<u8>) -> Result<usize, BoltError> {
        let bolt = Bolt::open(bytes)?;
        let buckets = ["User", "Link", "config", "nothing"];
        buckets.iter().try_fold(0, |count, name| Ok(count + bolt.bucket(name)?.map_or(0, |rows| rows.len())))
    }

    #[test]
    fn a_real_file_is_read() {
        let bolt = Bolt::open(sample()).unwrap();
        let rows = |name: &str| bolt.bucket(name).unwrap().map(|rows| rows.len());
        assert_eq!((rows("User"), rows("Link"), rows("config"), rows("nothing")), (Some(7), Some(6), Some(4), None));
    }

    #[test]
    fn what_is_no_database_says_so() {
        assert_eq!(read_all(Vec::new()), Err(BoltError::Foreign));
        assert_eq!(read_all(b"SQLite format 3\0".repeat(1000)), Err(BoltError::Foreign));
        let mut newer = sample();
        (newer[20], newer[4096 + 20]) = (3, 3);
        assert_eq!(read_all(newer), Err(BoltError::Version(3)));
    }

    #[test]
    fn one_of_the_two_metas_is_enough() {
        for page in [0, 4096] {
            let mut half = sample();
            half[page + 16..page + 80].fill(7);
            // The older record may lack the last changes.
            assert!(read_all(half).is_ok(), "without the one at {page}");
        }
        let mut none = sample();
        (none[30], none[4096 + 30]) = (1, 1);
        assert_eq!(read_all(none), Err(BoltError::Damaged));
    }

    #[test]
    fn a_file_that_was_cut_off_is_damaged() {
        let whole = sample();
        for length in (0..whole.len()).step_by(512) {
            let cut = read_all(whole[..length].to_vec());
            assert!(cut.is_err() || length > whole.len() / 4, "{length}: {cut:?}");
        }
    }

    proptest! {
        #[test]
        fn no_damage_upsets_it(places in prop::collection::vec((0..131_072_usize, any::<u8>()), 1..40)) {
            let mut bytes = sample();
            for (at, byte) in places {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let _ = read_all(bytes);
        }

        /// Page heads and elements, where a change leads elsewhere.
        #[test]
        fn no_wrong_page_upsets_it(page in 2..32_usize, offset in 0..256_usize, value in any::<u32>()) {
            let mut bytes = sample();
            let at = page * 4096 + offset;
            bytes[at..at + 4].copy_from_slice(&(value % 64).to_le_bytes());
            let _ = read_all(bytes.clone());
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let _ = read_all(bytes);
        }
    }
}
