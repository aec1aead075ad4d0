//! Free names for a second thing of the same name.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::place::MAX_NUMBER;
use crate::error::DiskResult;
use crate::jail::{Entry, MAX_NAME_BYTES};

/// `name(3).ext`; the ending of a folder is part of its name, and so is a dotfile's.
pub fn numbered(name: &OsStr, number: u32, folder: bool) -> OsString {
    let bytes = name.as_bytes();
    let dot = bytes.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0 && !folder);
    let (stem, ending) = bytes.split_at(dot.unwrap_or(bytes.len()));
    let number = format!("({number})");
    let room = MAX_NAME_BYTES.saturating_sub(ending.len() + number.len());
    let mut out = shortened(stem, room).to_vec();
    out.extend_from_slice(number.as_bytes());
    out.extend_from_slice(ending);
    OsString::from_vec(out)
}

/// Gives the entry the first free name, for callers that must know it before anything is placed.
pub fn choose_free(to: &mut Entry, folder: bool) -> DiskResult<()> {
    let asked = to.name.clone();
    let mut number = 0;
    while to.meta()?.is_some() && number < MAX_NUMBER {
        number += 1;
        to.name = numbered(&asked, number, folder);
    }
    Ok(())
}

/// At most `room` bytes, without cutting a character in two.
fn shortened(text: &[u8], room: usize) -> &[u8] {
    if text.len() <= room {
        return text;
    }
    let mut end = room;
    while end > 0 && text[end] & 0b1100_0000 == 0b1000_0000 {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s355_free_names() {
        let table = [
            ("a.txt", false, "a(1).txt"),
            ("a.tar.gz", false, "a.tar(1).gz"),
            ("docs", true, "docs(1)"),
            ("v1.2", true, "v1.2(1)"),
            (".env", false, ".env(1)"),
            ("图.png", false, "图(1).png"),
        ];
        for (name, folder, expected) in table {
            assert_eq!(numbered(OsStr::new(name), 1, folder), OsString::from(expected));
        }
    }

    #[test]
    fn a_long_name_stays_a_name() {
        let long = "图".repeat(85); // 255 bytes
        let name = numbered(OsStr::new(&long), 12, false);
        assert!(name.len() <= MAX_NAME_BYTES && name.to_str().is_some_and(|name| name.ends_with("(12)")));
    }
}
