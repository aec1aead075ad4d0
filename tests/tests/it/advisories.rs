//! Every published flaw of File Browser has a test that is named after it.

use std::collections::BTreeSet;
use std::fs;

use tests::root;

use crate::architecture::files;

/// How an id stands in a test's name: `ghsa_7w29` for GHSA-7w29-q235-57m9, others as they are.
fn mark(id: &str) -> String {
    let short = match id.strip_prefix("GHSA-") {
        Some(rest) => format!("ghsa_{}", &rest[..4]),
        None => id.replace('-', "_"),
    };
    short.to_lowercase()
}

/// The names of all tests that run.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for path in ["crates", "tests/tests"].iter().flat_map(|folder| files(&root().join(folder), ".rs")) {
        let text = fs::read_to_string(&path).expect("text");
        let mut is_test = false;
        for line in text.lines() {
            is_test |= matches!(line.trim(), "#[test]" | "#[rstest]") || line.trim().starts_with("#[tokio::test");
            is_test &= !line.trim().starts_with("#[ignore");
            let name = line.trim().trim_start_matches("async ").strip_prefix("fn ");
            if let Some((name, _)) = name.and_then(|rest| rest.split_once('(')) {
                names.extend(std::mem::take(&mut is_test).then(|| name.to_owned()));
            }
        }
    }
    names
}

/// The marks that stand in a test's name.
fn marks_of(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let mut marks = Vec::new();
    for at in 0..words.len() {
        let length = match words[at] {
            "ghsa" | "trap" | "issue" => 2,
            "cve" => 3,
            _ => continue,
        };
        marks.extend(words.get(at..at + length).map(|mark| mark.join("_")));
    }
    marks
}

#[test]
fn each_published_flaw_has_its_test() {
    let list = root().join("crates/disk/src/tests/advisories/published.txt");
    let list = fs::read_to_string(list).expect("the list");
    let published: BTreeSet<String> = list.lines().filter(|line| !line.starts_with('#')).map(mark).collect();
    assert!(published.len() > 70, "the list is short: {}", published.len());
    let tested: BTreeSet<String> = names().iter().flat_map(|name| marks_of(name)).collect();
    let missing: Vec<_> = published.difference(&tested).collect();
    assert!(missing.is_empty(), "no test is named after {missing:?}");
    let unknown: Vec<_> = tested.difference(&published).collect();
    assert!(unknown.is_empty(), "these stand in no list: {unknown:?}");
}
