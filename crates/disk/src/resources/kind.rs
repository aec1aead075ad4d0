//! The type of a file for display, by its name and, if that is not enough, by its beginning. Pure.

use serde::Serialize;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::Type};
use utoipa::{PartialSchema, ToSchema};

use super::encoding::may_be_text;

/// Larger text is not shown as text.
pub(super) const MAX_TEXT_BYTES: u64 = 10 * 1024 * 1024;
/// Bytes of a file that are inspected.
pub(super) const SNIFFED_BYTES: usize = 512;

/// What pages can display a file as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResourceType {
    /// A folder.
    #[serde(rename = "")]
    Folder,
    Image,
    Video,
    Audio,
    Pdf,
    /// Text that may be edited.
    Text,
    /// Text that the viewer may not change.
    #[serde(rename = "textImmutable")]
    TextImmutable,
    /// Any other file.
    Blob,
    /// A link that leads nowhere, or out of the view.
    InvalidLink,
}

// Written by hand, because the derived schema does not support an empty name.
impl PartialSchema for ResourceType {
    fn schema() -> RefOr<Schema> {
        let names = ["", "image", "video", "audio", "pdf", "text", "textImmutable", "blob", "invalid_link"];
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(names))
            .description(Some("What pages can do with a file; empty for folders."))
            .into()
    }
}

impl ToSchema for ResourceType {}

/// Extensions of texts whose registered type is another, or missing. Sorted.
const TEXT_ENDINGS: [&str; 56] = [
    "bat",
    "bib",
    "c",
    "cc",
    "cfg",
    "cmake",
    "conf",
    "cpp",
    "cu",
    "cuh",
    "cxx",
    "dart",
    "diff",
    "env",
    "go",
    "gradle",
    "h",
    "hpp",
    "ini",
    "ipynb",
    "java",
    "jl",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "lock",
    "log",
    "lua",
    "m",
    "mjs",
    "ndjson",
    "patch",
    "php",
    "pl",
    "properties",
    "proto",
    "py",
    "r",
    "rb",
    "rs",
    "scala",
    "sh",
    "sql",
    "srt",
    "swift",
    "tex",
    "toml",
    "ts",
    "tsx",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zsh",
];

/// Texts without an ending.
const TEXT_NAMES: [&str; 8] =
    ["changelog", "dockerfile", "jenkinsfile", "license", "makefile", "readme", ".bashrc", ".gitignore"];

/// From the last dot on, case kept.
pub(crate) fn extension(name: &str) -> &str {
    name.rfind('.').map_or("", |dot| &name[dot..])
}

/// By the name alone; an unknown name is a blob.
pub(super) fn of_name(name: &str, size: u64) -> ResourceType {
    by_name(name, size).unwrap_or(ResourceType::Blob)
}

/// By the name; `None` when it is unknown.
pub(crate) fn by_name(name: &str, size: u64) -> Option<ResourceType> {
    let ending = extension(name).trim_start_matches('.').to_ascii_lowercase();
    let ending = ending.as_str();
    let text = if size <= MAX_TEXT_BYTES { ResourceType::Text } else { ResourceType::Blob };
    if TEXT_ENDINGS.binary_search(&ending).is_ok() || TEXT_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return Some(text);
    }
    // The raw text of the table, without parsing it for each entry of a list.
    let kind = mime_guess::from_ext(ending).first_raw()?;
    Some(match kind.split_once('/')? {
        ("image", _) => ResourceType::Image,
        ("video", _) => ResourceType::Video,
        ("audio", _) => ResourceType::Audio,
        ("application", "pdf") => ResourceType::Pdf,
        ("text", _) => text,
        _ => ResourceType::Blob,
    })
}

/// By its first bytes.
pub(super) fn of_beginning(bytes: &[u8], size: u64) -> ResourceType {
    if size <= MAX_TEXT_BYTES && may_be_text(bytes) { ResourceType::Text } else { ResourceType::Blob }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_can_be_searched_for() {
        assert!(TEXT_ENDINGS.is_sorted());
    }

    #[test]
    fn s171_s173_types_by_name_and_by_content() {
        let table = [
            ("a.PNG", Some(ResourceType::Image)),
            ("b.mp4", Some(ResourceType::Video)),
            ("c.flac", Some(ResourceType::Audio)),
            ("d.pdf", Some(ResourceType::Pdf)),
            ("e.rs", Some(ResourceType::Text)),
            ("e.ts", Some(ResourceType::Text)),
            ("Makefile", Some(ResourceType::Text)),
            ("f.zip", Some(ResourceType::Blob)),
            ("noending", None),
        ];
        for (name, expected) in table {
            assert_eq!(by_name(name, 1), expected, "{name}");
        }
        assert_eq!(by_name("big.txt", MAX_TEXT_BYTES + 1), Some(ResourceType::Blob));
        assert_eq!(of_beginning("日志\n".as_bytes(), 7), ResourceType::Text);
        assert_eq!(of_beginning(b"\x7fELF\x02\x01\x01\0", 9), ResourceType::Blob);
        assert_eq!(of_beginning(&"图".repeat(200).as_bytes()[..SNIFFED_BYTES], 600), ResourceType::Text);
    }
}
