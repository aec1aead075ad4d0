//! Unpacking zip.

use std::cell::Cell;
use std::io::{BufReader, Read, Seek};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Moment;
use disk_core::reason::Reason;
use zip::result::ZipError;
use zip::{ExtraField, System, ZipArchive};

use super::damaged;
use super::names::{Charset, EntryPath};
use super::source::{Limited, Source};
use super::tree::{Attributes, Tree};

/// Maximum size of the list of entries: the library keeps all of it in memory.
const MAX_DIRECTORY_BYTES: u64 = 64 * 1024 * 1024;
/// Size of one read; a seek discards the buffer, so it is small.
const BUFFER_BYTES: usize = 32 * 1024;
/// The flag of names in UTF-8.
const UTF8: u16 = 1 << 11;
/// Mask of an entry's type in Unix modes.
const KIND: u32 = 0o170_000;
/// A link's text.
const MAX_LINK_BYTES: u64 = 4096;
/// DOS times are local times of an unknown zone; users of this are in China.
const CHINA_SECONDS: i64 = 8 * 60 * 60;

/// `counted` is the source's.
pub(super) fn unpack(source: Source<'_>, counted: &Cell<u64>, tree: &mut Tree<'_>) -> DiskResult<()> {
    // The list of entries lies at the end: nothing counts until it has been read.
    counted.set(u64::MAX);
    let left = Cell::new(MAX_DIRECTORY_BYTES);
    let source = Limited::new(source, &left);
    let mut archive = ZipArchive::new(BufReader::with_capacity(BUFFER_BYTES, source)).map_err(refused)?;
    left.set(u64::MAX);
    counted.set(0);
    let charset = survey(&archive, tree)?;
    for index in 0..archive.len() {
        let encrypted = archive.by_index_data(index).map_err(refused)?.encrypted();
        if encrypted {
            return Err(DiskError::bad_request(Reason::ArchiveEncrypted));
        }
        let mut file = archive.by_index(index).map_err(refused)?;
        let utf8 = file.flags().as_u16() & UTF8 != 0;
        let name = if utf8 { String::from_utf8_lossy(file.name_raw()) } else { charset.decode(file.name_raw()) };
        // Old programs for Windows wrote its separator.
        let name = if file.system() == System::Dos { name.replace('\\', "/") } else { name.into_owned() };
        let is_folder = name.ends_with('/');
        let Some(path) = EntryPath::parse(&name) else {
            tree.skip()?;
            continue;
        };
        let modified = file.extra_data_fields().find_map(unix_time).or_else(|| file.last_modified().map(dos_time));
        let attributes = Attributes::new(file.unix_mode(), modified);
        match file.unix_mode().unwrap_or_default() & KIND {
            _ if is_folder => tree.folder(&path, attributes)?,
            0o040_000 => tree.folder(&path, attributes)?,
            0o120_000 => {
                let mut text = Vec::new();
                file.by_ref().take(MAX_LINK_BYTES).read_to_end(&mut text).map_err(|error| damaged(&error))?;
                tree.link(&path, &text)?;
            }
            0 | 0o100_000 => tree.file(&path, attributes, &mut file)?,
            // Pipes, sockets and devices.
            _ => tree.skip()?,
        }
    }
    Ok(())
}

/// Surveys all entries before the first is extracted: their announced sizes, and the encoding of their names.
fn survey<R: Read + Seek>(archive: &ZipArchive<R>, tree: &Tree<'_>) -> DiskResult<Charset> {
    let (mut bytes, mut names) = (0_u64, Vec::new());
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(refused)?;
        bytes = bytes.saturating_add(entry.size());
        if entry.flags().as_u16() & UTF8 == 0 && !entry.name_raw().is_ascii() {
            names.push(entry.name_raw().to_vec());
        }
    }
    tree.budget.check_announced(bytes, archive.len().try_into().unwrap_or(u64::MAX))?;
    Ok(Charset::of(names.iter().map(Vec::as_slice)))
}

fn unix_time(field: &ExtraField) -> Option<Moment> {
    match field {
        ExtraField::ExtendedTimestamp(times) => {
            Some(Moment { seconds: i64::from(times.mod_time()?.cast_signed()), nanos: 0 })
        }
        _ => None,
    }
}

fn dos_time(at: zip::DateTime) -> Moment {
    let days = days_since_1970(at.year().into(), at.month().into(), at.day().into());
    let seconds = i64::from(at.hour()) * 3600 + i64::from(at.minute()) * 60 + i64::from(at.second());
    Moment { seconds: days * 86_400 + seconds - CHINA_SECONDS, nanos: 0 }
}

/// Days of the Gregorian calendar, which here begins its years in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

fn refused(error: ZipError) -> DiskError {
    match error {
        ZipError::Io(error) => damaged(&error),
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            DiskError::bad_request(Reason::ArchiveUnsupported)
        }
        _ => DiskError::bad_request(Reason::ArchiveDamaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dos_times() {
        let at = |year, month, day| dos_time(zip::DateTime::from_date_and_time(year, month, day, 8, 0, 2).unwrap());
        assert_eq!(at(1980, 1, 1).seconds, 315_532_802);
        assert_eq!(at(2024, 2, 29).seconds, 1_709_164_802);
        assert_eq!(at(2027, 1, 15).seconds, 1_799_971_202);
    }
}
