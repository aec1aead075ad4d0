//! Parses search queries. Pure.
//!
//! A file matches if any of the words and quoted phrases occurs in its name. `type:` restricts the result to files of
//! any of the given kinds or extensions. `case:sensitive` may be anywhere. Without words all files of the types match.

use crate::resources::{ResourceType, by_name, extension};

/// Bytes in a query.
const MAX_BYTES: usize = 1024;
/// Words, phrases and types in a query, each of which costs time at every file.
const MAX_PARTS: usize = 32;

/// Endings of archives.
const ARCHIVES: [&str; 22] = [
    "7z", "bz2", "cab", "deb", "gz", "iso", "jar", "lz4", "lzma", "rar", "rpm", "sz", "tar", "tbz2", "tgz", "txz",
    "tzst", "whl", "xz", "zip", "zipx", "zst",
];

/// Why a query is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Over 1024 bytes.
    #[error("query too long")]
    TooLong,
    /// Over 32 words and types.
    #[error("too many words in the query")]
    TooManyWords,
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Found anywhere in a name; in lower case unless `sensitive`.
    words: Vec<String>,
    types: Vec<Type>,
    sensitive: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Shown(ResourceType),
    Archive,
    /// In lower case, without the dot.
    Ending(String),
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// When it is too long, or has too many parts.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_BYTES {
            return Err(QueryError::TooLong);
        }
        let mut query = Self::default();
        for part in parts(text) {
            match part {
                Part::Word("case:sensitive") => query.sensitive = true,
                Part::Word("case:insensitive") => query.sensitive = false,
                Part::Word(word) => match word.strip_prefix("type:").and_then(Type::parse) {
                    Some(kind) => query.types.push(kind),
                    None => query.words.push(word.to_owned()),
                },
                Part::Phrase(phrase) => query.words.push(phrase.to_owned()),
            }
        }
        if query.words.len() + query.types.len() > MAX_PARTS {
            return Err(QueryError::TooManyWords);
        }
        if !query.sensitive {
            for word in &mut query.words {
                *word = lower(word, String::new());
            }
        }
        Ok(query)
    }

    /// Whether an entry of this name is meant. Types speak of files only.
    #[must_use]
    pub fn matches(&self, name: &str, is_file: bool) -> bool {
        self.matches_with(name, is_file, &mut String::new())
    }

    /// The same with room that is used again for the next name.
    pub(super) fn matches_with(&self, name: &str, is_file: bool, room: &mut String) -> bool {
        self.has_word(name, room) && (self.types.is_empty() || is_file && self.has_type(name))
    }

    fn has_word(&self, name: &str, room: &mut String) -> bool {
        if self.words.is_empty() {
            return true;
        }
        if self.sensitive {
            return self.words.iter().any(|word| name.contains(word));
        }
        *room = lower(name, std::mem::take(room));
        self.words.iter().any(|word| room.contains(word))
    }

    fn has_type(&self, name: &str) -> bool {
        // The size only decides whether a text can be shown.
        let shown = by_name(name, 0);
        let ending = extension(name).trim_start_matches('.');
        self.types.iter().any(|kind| match kind {
            Type::Shown(kind) => shown == Some(*kind),
            Type::Archive => ARCHIVES.iter().any(|archive| ending.eq_ignore_ascii_case(archive)),
            Type::Ending(wanted) => ending.to_lowercase() == *wanted,
        })
    }
}

impl Type {
    fn parse(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let ending = text.trim_start_matches('.');
        Some(match ending {
            "" => return None,
            "image" => Self::Shown(ResourceType::Image),
            "audio" | "music" => Self::Shown(ResourceType::Audio),
            "video" => Self::Shown(ResourceType::Video),
            "pdf" => Self::Shown(ResourceType::Pdf),
            "text" => Self::Shown(ResourceType::Text),
            "archive" => Self::Archive,
            ending => Self::Ending(ending.to_owned()),
        })
    }
}

enum Part<'a> {
    Word(&'a str),
    Phrase(&'a str),
}

/// A quote that is not closed is an ordinary character.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let phrase = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        rest = match phrase {
            Some(("", after)) => after,
            Some((phrase, after)) => {
                parts.push(Part::Phrase(phrase));
                after
            }
            None => {
                let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                parts.push(Part::Word(word));
                after
            }
        }
        .trim_start();
    }
    parts
}

/// Lower case, character by character, so that it is the same in any context.
fn lower(text: &str, mut room: String) -> String {
    room.clear();
    if text.is_ascii() {
        room.push_str(text);
        room.make_ascii_lowercase();
    } else {
        room.extend(text.chars().flat_map(char::to_lowercase));
    }
    room
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_and_what_is_found() {
        let table = [
            ("", "a.txt", true),
            ("  ", "a.txt", true),
            ("port", "Report.TXT", true),
            ("case:sensitive port", "rePort", false),
            ("port case:sensitive", "report", true),
            ("case:sensitive case:insensitive port", "rePort", true),
            ("ann bob", "bobby", true),
            ("ann bob", "carol", false),
            ("\"a b\"", "xa bx", true),
            ("\"a b\"", "a", false),
            ("\"a b\" c", "c", true),
            ("\"open", "say \"open", true),
            ("\"\"", "anything", true),
            ("\"type:image\"", "a.png", false),
            ("\"type:image\"", "type:image", true),
            ("type:image", "A.JPG", true),
            ("type:image", "a.mp3", false),
            ("type:music", "a.mp3", true),
            ("type:video type:audio", "a.mp4", true),
            ("type:pdf", "a.pdf", true),
            ("type:text", "Makefile", true),
            ("type:archive", "a.tar.GZ", true),
            ("type:archive", "a.zipped", false),
            ("type:rs x", "x.rs", true),
            ("type:.RS", "x.rs", true),
            ("x type:rs", "y.rs", false),
            ("type:", "type:", true),
            ("图", "地图.png", true),
            ("ÄRZTE", "ärzte.txt", true),
        ];
        for (query, name, expected) in table {
            assert_eq!(Query::parse(query).unwrap().matches(name, true), expected, "{query} in {name}");
        }
        assert!(!Query::parse("type:png").unwrap().matches("folder.png", false));
        assert!(Query::parse("folder").unwrap().matches("folder.png", false));
    }

    #[test]
    fn it_is_bounded() {
        assert_eq!(Query::parse(&"x".repeat(1025)), Err(QueryError::TooLong));
        assert_eq!(Query::parse(&"x ".repeat(33)), Err(QueryError::TooManyWords));
        assert_eq!(Query::parse(&"type:x ".repeat(33)), Err(QueryError::TooManyWords));
        assert!(Query::parse(&"x ".repeat(32)).is_ok());
    }

    /// Properties of every query, which the fuzzer checks too.
    fn check(text: &str) {
        let Ok(query) = Query::parse(text) else { return };
        // Without regard to case means just that.
        for name in ["a.png", "Makefile", "图", text] {
            if !query.sensitive && name.is_ascii() {
                let other = name.to_ascii_uppercase();
                assert_eq!(query.matches(name, false), query.matches(&other, false), "{text:?} in {name:?}");
            }
            assert!(!query.matches(name, false) || query.matches(name, true) || !query.types.is_empty());
        }
    }

    #[test]
    fn the_corpus_of_the_fuzzer() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/search_query");
        let read = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.unwrap().path()).unwrap();
        let corpus: Vec<Vec<u8>> = std::fs::read_dir(folder).unwrap().map(read).collect();
        assert!(corpus.len() >= 10);
        for bytes in corpus {
            check(&String::from_utf8_lossy(&bytes));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_text_is_a_query_or_too_much(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn grammar_by_pieces(text in "(case:|sensitive|insensitive|type:|image|archive|\"| |a|图|\\.){0,24}") {
            check(&text);
        }

        #[test]
        fn a_phrase_is_found_in_itself(phrase in "[^\"]{1,60}") {
            let query = Query::parse(&format!("\"{phrase}\"")).unwrap();
            let name = format!("x{phrase}y");
            prop_assert!(query.matches(&name, true));
        }
    }
}
