//! The names of all entries below a viewer's root, in memory, and the best fits among them. Pure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Entries of one list. A look through them takes some 50 ns each.
const MOST_ENTRIES: usize = 500_000;
/// Bytes of text in one list.
const MOST_BYTES: usize = 48 * 1024 * 1024;
/// Bytes in a question.
const MAX_BYTES: usize = 200;
/// Words in a question: each is a bit in a mask.
const MAX_WORDS: usize = 8;

/// What is looked for: each word is in the name or in the names of the folders above it, one of them in the name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// `None` when the question is too long.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        Some(Self(text.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect()))
    }

    fn all(&self) -> u8 {
        self.0.iter().enumerate().fold(0, |mask, (at, _)| mask | (1_u8 << at))
    }

    /// A bit for each word that is in the text.
    fn in_text(&self, text: &str) -> u8 {
        let found = self.0.iter().enumerate().filter(|(_, word)| text.contains(word.as_str()));
        found.fold(0, |mask, (at, _)| mask | (1_u8 << at))
    }

    /// How well a name fits, the best being 0; `None` without any of the words.
    fn fit(&self, name: &str) -> Option<u8> {
        let fit = |word: &String| {
            let at = name.find(word.as_str())?;
            let is_inside = name[..at].ends_with(char::is_alphanumeric);
            Some(match at {
                0 if name.len() == word.len() => 0,
                0 if name[word.len()..].starts_with('.') => 1,
                0 => 2,
                _ if !is_inside => 3,
                _ => 4,
            })
        };
        self.0.iter().filter_map(fit).min()
    }
}

/// A folder in which there are entries.
#[derive(Debug)]
struct Folder {
    /// From the viewer's root down, with a slash at the end; empty for the root itself.
    path: Box<str>,
    lower: Box<str>,
}

/// Positions and lengths in [`Names::text`] and [`Names::lower`].
#[derive(Clone, Copy, Debug)]
struct Name {
    folder: u32,
    text: (u32, u32),
    lower: (u32, u32),
    is_folder: bool,
}

/// The names that were seen so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    folders: Vec<Folder>,
    names: Vec<Name>,
    /// All names, one after the other.
    text: String,
    /// The same in lower case, which may differ in length.
    lower: String,
    folder_bytes: usize,
}

/// Adds an entry to what a walk hands over to [`Names::take`]. `above` is empty or ends with a slash.
pub(super) fn write(out: &mut Vec<u8>, is_folder: bool, above: &str, name: &str) {
    out.push(if is_folder { b'd' } else { b'f' });
    out.extend_from_slice(above.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.push(0);
}

impl Names {
    /// Takes what was written by [`write`].
    pub(super) fn take(&mut self, written: &[u8]) {
        for record in written.split(|byte| *byte == 0) {
            if self.is_full() {
                return;
            }
            let Some((kind, path)) = record.split_first() else { continue };
            let Ok(path) = std::str::from_utf8(path) else { continue };
            let name_at = path.rfind('/').map_or(0, |slash| slash + 1);
            self.add(*kind == b'd', &path[..name_at], &path[name_at..]);
        }
    }

    fn add(&mut self, is_folder: bool, above: &str, name: &str) {
        // Entries of a folder come together, so the last one is nearly always the right one.
        if self.folders.last().is_none_or(|folder| &*folder.path != above) {
            let lower = above.to_lowercase();
            self.folder_bytes += above.len() + lower.len();
            self.folders.push(Folder { path: above.into(), lower: lower.into() });
        }
        let (text_at, lower_at) = (self.text.len(), self.lower.len());
        self.text.push_str(name);
        if name.is_ascii() {
            self.lower.push_str(name);
            self.lower[lower_at..].make_ascii_lowercase();
        } else {
            self.lower.push_str(&name.to_lowercase());
        }
        // Everything is far below the limit of the type: see MOST_BYTES.
        let short = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        self.names.push(Name {
            folder: short(self.folders.len() - 1),
            text: (short(text_at), short(self.text.len() - text_at)),
            lower: (short(lower_at), short(self.lower.len() - lower_at)),
            is_folder,
        });
    }

    /// Whether nothing more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.names.len() >= MOST_ENTRIES || self.bytes() >= MOST_BYTES
    }

    /// Bytes that it takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.names.len() * size_of::<Name>() + self.folders.len() * size_of::<Folder>();
        self.text.len() + self.lower.len() + self.folder_bytes + rows
    }

    /// The best fits, the best first, as paths from the viewer's root down without a slash at either end; none without
    /// words.
    pub(super) fn best(&self, words: &Words, most: usize) -> Vec<String> {
        let all = words.all();
        if all == 0 {
            return Vec::new();
        }
        let above: Vec<u8> = self.folders.iter().map(|folder| words.in_text(&folder.lower)).collect();
        let mut best = BTreeSet::new();
        for (index, name) in self.names.iter().enumerate() {
            let lower = cut(&self.lower, name.lower);
            let inside = words.in_text(lower);
            let folder = name.folder as usize;
            if inside == 0 || inside | above[folder] != all {
                continue;
            }
            let missed = Reverse(inside.count_ones());
            let depth = self.folders[folder].path.bytes().filter(|byte| *byte == b'/').count();
            let fit = (words.fit(lower), missed, depth, lower.len(), !name.is_folder, lower, index);
            if best.len() < most || best.last().is_some_and(|last| fit < *last) {
                best.insert(fit);
            }
            if best.len() > most {
                best.pop_last();
            }
        }
        let path = |name: Name| format!("{}{}", self.folders[name.folder as usize].path, cut(&self.text, name.text));
        best.into_iter().map(|(.., index)| path(self.names[index])).collect()
    }
}

fn cut(text: &str, (at, length): (u32, u32)) -> &str {
    &text[at as usize..][..length as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Names {
        let mut written = Vec::new();
        for path in paths {
            let (path, is_folder) = path.strip_suffix('/').map_or((*path, false), |path| (path, true));
            let name_at = path.rfind('/').map_or(0, |slash| slash + 1);
            write(&mut written, is_folder, &path[..name_at], &path[name_at..]);
        }
        let mut names = Names::default();
        names.take(&written);
        names
    }

    fn best(names: &Names, words: &str) -> Vec<String> {
        names.best(&Words::parse(words).unwrap(), 5)
    }

    #[test]
    fn better_fits_come_first() {
        let names = names(&[
            "home/mytrain.py",
            "home/train_2.py",
            "home/run/train",
            "home/a train.txt",
            "home/train.py",
            "home/train/",
            "home/other",
        ]);
        let expected = ["home/train", "home/run/train", "home/train.py", "home/train_2.py", "home/a train.txt"];
        assert_eq!(best(&names, "train"), expected);
    }

    #[test]
    fn words_may_be_in_the_folders_above() {
        let names = names(&["home/detector/src/models/backbone_3.py", "home/detector/readme", "home/backbone_3.txt"]);
        assert_eq!(best(&names, "detector backbone"), ["home/detector/src/models/backbone_3.py"]);
        assert_eq!(best(&names, "BACKBONE detector"), ["home/detector/src/models/backbone_3.py"]);
        assert_eq!(best(&names, "backbone .txt"), ["home/backbone_3.txt"]);
        // What is only above a name would bring whole folders.
        assert_eq!(best(&names, "detector"), [] as [&str; 0]);
        assert_eq!(best(&names, "home detector readme"), ["home/detector/readme"]);
    }

    #[test]
    fn case_is_ignored_and_names_stay_as_they_are() {
        let names = names(&["home/模型 ÄRZTE.PT", "home/İstanbul.csv", "Top"]);
        assert_eq!(best(&names, "ärzte"), ["home/模型 ÄRZTE.PT"]);
        assert_eq!(best(&names, "模型"), ["home/模型 ÄRZTE.PT"]);
        assert_eq!(best(&names, "stanbul"), ["home/İstanbul.csv"]);
        assert_eq!(best(&names, "top"), ["Top"]);
    }

    #[test]
    fn questions_are_bounded() {
        assert_eq!(Words::parse(&"x".repeat(201)), None);
        assert_eq!(Words::parse(" \t").unwrap(), Words::default());
        assert_eq!(Words::parse("a b c d e f g h i").unwrap().0.len(), MAX_WORDS);
        assert!(names(&["a"]).best(&Words::default(), 5).is_empty());
    }

    #[test]
    fn a_list_has_an_end() {
        let mut names = Names::default();
        let mut written = Vec::new();
        for number in 0..=MOST_ENTRIES {
            write(&mut written, false, "d/", &number.to_string());
        }
        names.take(&written);
        assert!(names.is_full());
        assert_eq!(names.names.len(), MOST_ENTRIES);
        assert!(names.bytes() < MOST_BYTES, "{}", names.bytes());
        assert_eq!(best(&names, "499999"), ["d/499999"]);
        assert_eq!(best(&names, "500000"), [] as [&str; 0]);
    }
}
