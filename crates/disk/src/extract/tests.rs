//! Names and links from inside. Whole archives are in `tests/extracting.rs`.

use std::path::Path;

use proptest::prelude::*;

use super::EntryPath;
use super::names::Charset;

/// Properties of any name and any link's target, which the fuzzer checks too.
fn check(name: &[u8], text: &[u8]) {
    let Some(path) = EntryPath::parse(&String::from_utf8_lossy(name)) else { return };
    for name in path.names() {
        assert!(!matches!(name.as_str(), "" | "." | "..") && name.len() <= 255, "{name:?}");
        assert!(!name.contains(['/', '\0']) && !name.eq_ignore_ascii_case(".yunlab"), "{name:?}");
    }
    if path.may_link_to(text) {
        let mut level = path.names().len() - 1;
        for part in text.split(|byte| *byte == b'/') {
            level = match part {
                b"" | b"." => level,
                b".." => level.checked_sub(1).unwrap_or_else(|| panic!("{path:?} leads out")),
                _ => level + 1,
            };
        }
    }
}

#[test]
fn the_corpus_of_the_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/archive_names");
    let corpus: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    assert!(corpus.len() > 20);
    for bytes in corpus {
        let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        check(&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    }
}

proptest! {
    #[test]
    fn nothing_leads_out(name in "[a./\\\\\u{0}]{0,12}", text in "[b./]{0,12}") {
        check(name.as_bytes(), text.as_bytes());
    }
}

#[test]
fn names_that_no_entry_has() {
    for name in [
        "",
        ".",
        "/",
        "..",
        "a/..",
        "../a",
        "a/../b",
        "a\0b",
        ".yunlab",
        "a/.YunLab/b",
        &"x".repeat(256),
        &"d/".repeat(151),
    ] {
        assert_eq!(EntryPath::parse(name), None, "{name:?}");
    }
    let names = |name: &str| EntryPath::parse(name).unwrap().names().join("|");
    assert_eq!((names("/a//./b/"), names("..\\a")), ("a|b".into(), "..\\a".into()));
}

#[test]
fn texts_that_no_link_has() {
    let table = [
        ("a", "b", true),
        ("a", ".", true),
        ("a/b", "../c", true),
        ("a/b", "..", true),
        ("a/b", "../..", false),
        ("a", "..", false),
        ("a/b/c", "../../x/y", true),
        ("a/b/c", "x/../y", false),
        ("a", "/x", false),
        ("a", "", false),
        ("a", ".yunlab", false),
    ];
    for (name, text, expected) in table {
        assert_eq!(EntryPath::parse(name).unwrap().may_link_to(text.as_bytes()), expected, "{name} -> {text}");
    }
}

#[test]
fn charsets() {
    let gbk = encoding_rs::GBK.encode("第一次实验的数据和说明.txt").0;
    assert_eq!(Charset::of([&*gbk].into_iter()).decode(&gbk), "第一次实验的数据和说明.txt");
    // One name that is not UTF-8 decides for all.
    let short = encoding_rs::GBK.encode("图").0;
    assert_eq!(Charset::of([&*gbk, &*short].into_iter()).decode(&short), "图");
    let utf8 = "图/片.txt".as_bytes();
    assert_eq!(Charset::of([utf8, b"plain"].into_iter()).decode(utf8), "图/片.txt");
}
