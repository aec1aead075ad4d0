//! Names for entries of an archive. Pure.
//!
//! A backslash is a character here and a separator on Windows, so it could lead out of the folder that the archive is
//! unpacked into (GHSA-gxjx, GHSA-83xp). Zip requires UTF-8.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;

use disk_core::transfer::numbered;

/// A name without backslashes and, where it has any, without dot segments between them.
pub(super) fn cleaned(name: &OsStr) -> Cow<'_, str> {
    let name = name.to_string_lossy();
    if !name.contains('\\') {
        return name;
    }
    let part = |part| if matches!(part, "." | ".." | "") { "_" } else { part };
    Cow::Owned(name.split('\\').map(part).collect::<Vec<_>>().join("_"))
}

/// The names already used in one folder of an archive.
#[derive(Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// Reserves this name, or the next free one that is like it.
    pub(super) fn take(&mut self, name: &str, folder: bool) -> String {
        let mut free = name.to_owned();
        let mut number = 0;
        while !self.0.insert(free.clone()) {
            number += 1;
            free = numbered(OsStr::new(name), number, folder).to_string_lossy().into_owned();
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_lead_nowhere() {
        let table = [
            ("a.txt", "a.txt"),
            ("back\\slash", "back_slash"),
            ("..\\..\\x", "____x"),
            ("\\etc", "__etc"),
            ("C:\\x", "C:_x"),
            ("..x", "..x"),
            ("图\n", "图\n"),
        ];
        for (name, expected) in table {
            assert_eq!(cleaned(OsStr::new(name)), expected);
        }
        assert_eq!(cleaned(OsStr::from_bytes(b"\xce\xc4.txt")), "\u{fffd}\u{fffd}.txt");
    }

    #[test]
    fn a_name_comes_once() {
        let mut taken = Taken::default();
        assert_eq!(taken.take("a_b.txt", false), "a_b.txt");
        assert_eq!(taken.take("a_b.txt", false), "a_b(1).txt");
        assert_eq!(taken.take("a_b.txt", true), "a_b.txt(1)");
    }

    proptest! {
        #[test]
        fn any_name_is_clean(name in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'.'), 1..=255_u8], 1..40)) {
            prop_assume!(!name.contains(&b'/') && name != b"." && name != b"..");
            let clean = cleaned(OsStr::from_bytes(&name));
            prop_assert!(!clean.is_empty() && clean != "." && clean != ".." && !clean.contains(['/', '\\', '\0']));
        }
    }
}
