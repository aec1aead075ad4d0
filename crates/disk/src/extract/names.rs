//! Names and paths of an archive's entries. Pure.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use disk_core::jail::{MAX_NAME_BYTES, is_reserved};
use encoding_rs::{Encoding, UTF_8};

/// Maximum depth of a path: as deep as copying and merging support.
pub(super) const MAX_LEVELS: usize = 150;
/// Maximum length of a link's target in Linux.
const MAX_LINK_BYTES: usize = 4095;

/// Where an entry lies, relative to the folder that is unpacked into; never outside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPath(Vec<String>);

impl EntryPath {
    /// Parses a name of the archive, with `/` between folders. A leading slash and `.` are ignored. `None` for a name
    /// that leads up, that no file can have, or that is too long or too deep.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let names = name.split('/').filter(|name| !matches!(*name, "" | "."));
        let names: Vec<String> = names.map(str::to_owned).collect();
        let fits = |name: &String| {
            name != ".." && name.len() <= MAX_NAME_BYTES && !name.contains('\0') && !is_reserved(name.as_bytes())
        };
        (!names.is_empty() && names.len() <= MAX_LEVELS && names.iter().all(fits)).then_some(Self(names))
    }

    /// The names from the folder down.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The folder's names, and the entry's own.
    pub(super) fn split(&self) -> (&[String], &str) {
        self.0.split_last().map_or((&[], ""), |(name, folder)| (folder, name.as_str()))
    }

    /// Whether a link here may have this target. It stays inside from wherever it is followed: it goes up first, at
    /// most to the top, and only then down, so that no other link on its way changes the meaning of `..`.
    #[must_use]
    pub fn may_link_to(&self, text: &[u8]) -> bool {
        if text.is_empty() || text.len() > MAX_LINK_BYTES || text.starts_with(b"/") || text.contains(&0) {
            return false;
        }
        let parts = || text.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
        let up = parts().take_while(|part| *part == b"..").count();
        up < self.0.len() && parts().skip(up).all(|part| part != b".." && !is_reserved(part))
    }
}

/// Encoding of the names in an archive that does not declare one.
#[derive(Debug)]
pub(super) struct Charset(&'static Encoding);

impl Charset {
    /// UTF-8 if all names are; otherwise the detected encoding, with that of Chinese systems as the default.
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        let mut all_utf8 = true;
        for name in names {
            all_utf8 &= std::str::from_utf8(name).is_ok();
            if !name.is_ascii() {
                detector.feed(name, false);
                detector.feed(b"\n", false);
            }
        }
        if all_utf8 {
            return Self(UTF_8);
        }
        detector.feed(b"", true);
        Self(detector.guess(Some(b"cn"), Utf8Detection::Deny))
    }

    pub(super) fn decode<'a>(&self, name: &'a [u8]) -> Cow<'a, str> {
        self.0.decode_without_bom_handling(name).0
    }
}
