//! The size of a 7z archive's list of entries. The list itself is compressed, and the library decompresses all of it
//! into memory: a few bytes could become gigabytes. So its announced size is checked first (7zFormat.txt of the LZMA
//! SDK).

use std::io::{Read, Seek, SeekFrom};

use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;

use super::damaged;
use super::source::Source;

/// Lists of about 70 000 files; in memory an entry takes many times its size in the list.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
const SIGNATURE_BYTES: u8 = 32;

const END: u8 = 0x00;
const HEADER: u8 = 0x01;
const PACK_INFO: u8 = 0x06;
const UNPACK_INFO: u8 = 0x07;
const SUB_STREAMS: u8 = 0x08;
const SIZE: u8 = 0x09;
const CHECKSUMS: u8 = 0x0a;
const FOLDER: u8 = 0x0b;
const UNPACK_SIZES: u8 = 0x0c;
const ENCODED_HEADER: u8 = 0x17;

/// Refuses lists that are too long, or packed in a way that no program writes.
pub(super) fn check(source: &mut Source<'_>) -> DiskResult<()> {
    let header = read(source).map_err(|error| damaged(&error))?;
    let Some(header) = header else { return Err(DiskError::bad_request(Reason::ArchiveEntries)) };
    let fits = match header.split_first() {
        None | Some((&HEADER, _)) => true,
        Some((&ENCODED_HEADER, rest)) => {
            let largest = largest(&mut { rest }).ok_or_else(|| DiskError::bad_request(Reason::ArchiveDamaged))?;
            largest <= MAX_BYTES
        }
        Some(_) => return Err(DiskError::bad_request(Reason::ArchiveDamaged)),
    };
    if fits { Ok(()) } else { Err(DiskError::bad_request(Reason::ArchiveEntries)) }
}

/// The list as in the file, `None` when it is too long. Seeks back to the start.
fn read(source: &mut Source<'_>) -> std::io::Result<Option<Vec<u8>>> {
    let mut start = [0; SIGNATURE_BYTES as usize];
    source.rewind()?;
    source.read_exact(&mut start)?;
    let number = |at: usize| start[at..at + 8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let (offset, size) = (number(12), number(20));
    if size > MAX_BYTES {
        return Ok(None);
    }
    source.seek(SeekFrom::Start(offset.saturating_add(SIGNATURE_BYTES.into()).min(i64::MAX.unsigned_abs())))?;
    let mut header = Vec::new();
    source.take(size).read_to_end(&mut header)?;
    source.rewind()?;
    Ok(Some(header))
}

/// The largest size that a decompression step of the list announces; `None` for an unreadable list.
fn largest(rest: &mut &[u8]) -> Option<u64> {
    let mut largest = 0;
    loop {
        match byte(rest)? {
            // The division of streams comes last and changes no size.
            END | SUB_STREAMS => return Some(largest),
            PACK_INFO => pack_info(rest)?,
            UNPACK_INFO => largest = largest.max(unpack_info(rest)?),
            _ => return None,
        }
    }
}

fn pack_info(rest: &mut &[u8]) -> Option<()> {
    number(rest)?;
    let streams = number(rest)?;
    loop {
        match byte(rest)? {
            END => return Some(()),
            SIZE => skip_numbers(rest, streams)?,
            CHECKSUMS => skip_checksums(rest, streams)?,
            _ => return None,
        }
    }
}

fn unpack_info(rest: &mut &[u8]) -> Option<u64> {
    // A single folder, described here and not externally.
    if byte(rest)? != FOLDER || number(rest)? != 1 || byte(rest)? != 0 {
        return None;
    }
    let outputs = folder(rest)?;
    if byte(rest)? != UNPACK_SIZES {
        return None;
    }
    let mut largest = 0;
    for _ in 0..outputs {
        largest = largest.max(number(rest)?);
    }
    loop {
        match byte(rest)? {
            END => return Some(largest),
            CHECKSUMS => skip_checksums(rest, 1)?,
            _ => return None,
        }
    }
}

/// How many outputs its steps have.
fn folder(rest: &mut &[u8]) -> Option<u64> {
    let coders = number(rest)?;
    let (mut inputs, mut outputs) = (0_u64, 0_u64);
    for _ in 0..coders {
        let flags = byte(rest)?;
        *rest = rest.get(usize::from(flags & 0x0f)..)?;
        let complex = flags & 0x10 != 0;
        inputs = inputs.checked_add(if complex { number(rest)? } else { 1 })?;
        outputs = outputs.checked_add(if complex { number(rest)? } else { 1 })?;
        if flags & 0x20 != 0 {
            let properties = number(rest)?;
            *rest = rest.get(usize::try_from(properties).ok()?..)?;
        }
    }
    let bound = outputs.checked_sub(1)?;
    skip_numbers(rest, bound.checked_mul(2)?)?;
    let packed = inputs.checked_sub(bound)?;
    skip_numbers(rest, if packed > 1 { packed } else { 0 })?;
    Some(outputs)
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(*first)
}

/// The number of leading ones in the first byte is the number of further bytes; its other bits are the highest.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let first = byte(rest)?;
    let more = first.leading_ones();
    let mut low = 0;
    for index in 0..more {
        low |= u64::from(byte(rest)?) << (8 * index);
    }
    let high = u64::from(first) & (0x7f_u64 >> more);
    Some(if more < 8 { low | high << (8 * more) } else { low })
}

fn skip_numbers(rest: &mut &[u8], count: u64) -> Option<()> {
    // Each takes at least a byte, so a wrong count ends with the list.
    (0..count).try_for_each(|_| number(rest).map(drop))
}

/// Four bytes each, for all or for those with a bit set.
fn skip_checksums(rest: &mut &[u8], count: u64) -> Option<()> {
    let all = byte(rest)? != 0;
    let mut defined = if all { count } else { 0 };
    for _ in 0..if all { 0 } else { count.div_ceil(8) } {
        defined += u64::from(byte(rest)?.count_ones());
    }
    *rest = rest.get(usize::try_from(defined.checked_mul(4)?).ok()?..)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let table: [(&[u8], u64); 4] = [
            (&[0x7f], 127),
            (&[0x81, 0x02], 0x102),
            (&[0xc0, 1, 2], 0x201),
            (&[0xff, 1, 0, 0, 0, 0, 0, 0, 1], 1 << 56 | 1),
        ];
        for (bytes, expected) in table {
            assert_eq!(number(&mut &*bytes), Some(expected), "{bytes:x?}");
        }
        assert_eq!(number(&mut [0x81_u8].as_slice()), None);
    }
}
