//! Listing folders.

use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags, open as open_file};
use tools::wire::Reader;

use super::attributes::Attributes;
use super::handles::{Handles, Open};
use super::paths::path;
use super::reply::{Answer, Entry, Failure, Status};

/// Entries of one answer.
const AT_ONCE: usize = 100;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Times that are older than this are shown with their year: half a year in seconds.
const OLD: i64 = 365 * 24 * 3600 / 2;

pub(super) fn open(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    handles.room()?;
    let path = path(from)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let file = File::from(open_file(&path, flags, Mode::empty())?);
    let entries = std::fs::read_dir(&path)?;
    Ok(handles.add(Open::Folder { file, path, entries, begun: false }))
}

pub(super) fn read(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let Open::Folder { path, entries, begun, .. } = handles.get(from)? else { return Err(Status::Failure.into()) };
    let mut found = Vec::new();
    if !std::mem::replace(begun, true) {
        found.extend([".", ".."].into_iter().filter_map(|name| entry(path, name.as_bytes())));
    }
    for one in entries.by_ref() {
        // What was removed meanwhile has no attributes, and is left out.
        found.extend(entry(path, one?.file_name().as_bytes()));
        if found.len() >= AT_ONCE {
            break;
        }
    }
    if found.is_empty() { Err(Status::Eof.into()) } else { Ok(Answer::Names(found)) }
}

fn entry(folder: &Path, name: &[u8]) -> Option<Entry> {
    let metadata = folder.join(std::ffi::OsStr::from_bytes(name)).symlink_metadata().ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let line = line(&metadata, name, i64::try_from(now).unwrap_or(i64::MAX));
    Some(Entry { name: name.to_vec(), line, attributes: Attributes::of(&metadata) })
}

/// A line as `ls -l` has it, with numbers for owners; times are in UTC.
fn line(metadata: &Metadata, name: &[u8], now: i64) -> Vec<u8> {
    let (mode, links) = (mode(metadata.mode()), metadata.nlink());
    let (user, group, size) = (metadata.uid(), metadata.gid(), metadata.size());
    let time = time(metadata.mtime(), now);
    let mut line = format!("{mode} {links:>4} {user:<8} {group:<8} {size:>8} {time} ").into_bytes();
    line.extend_from_slice(name);
    line
}

fn mode(mode: u32) -> String {
    let kind = match mode & 0o170_000 {
        0o040_000 => 'd',
        0o120_000 => 'l',
        0o060_000 => 'b',
        0o020_000 => 'c',
        0o010_000 => 'p',
        0o140_000 => 's',
        _ => '-',
    };
    let mut text = String::from(kind);
    for (shift, special, letter) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => letter,
            (true, false) => letter.to_ascii_uppercase(),
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    text
}

fn time(seconds: i64, now: i64) -> String {
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let month = usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or("???");
    if seconds > now || now - seconds > OLD {
        return format!("{month} {day:>2}  {year}");
    }
    let minutes = seconds.rem_euclid(86_400) / 60;
    format!("{month} {day:>2} {:02}:{:02}", minutes / 60, minutes % 60)
}

/// The date of a day since 1970, by whole cycles of 400 years from the first of March.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (cycle, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (cycle * 400 + year + i64::from(month <= 2), month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_787), (2026, 11, 30));
        assert_eq!(time(0, 1_000_000_000), "Jan  1  1970");
        assert_eq!(time(999_999_960, 1_000_000_000), "Sep  9 01:46");
    }

    #[test]
    fn modes_read_as_in_listings() {
        assert_eq!(mode(0o100_644), "-rw-r--r--");
        assert_eq!(mode(0o041_777), "drwxrwxrwt");
        assert_eq!(mode(0o104_755), "-rwsr-xr-x");
        assert_eq!(mode(0o102_644), "-rw-r-Sr--");
    }
}
