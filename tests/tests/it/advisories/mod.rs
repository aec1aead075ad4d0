//! Published flaws of File Browser, by their numbers, tried on the whole program: those of parts that the disk alone
//! lacks, and those that the program could reintroduce. The disk's own tests have the others, in a folder of the same
//! name. A test here checks that none is missing.

mod accounts;
mod commands;
mod memory;
mod requests;

use std::collections::BTreeSet;
use std::fs;

use tests::{files, root};

/// The disk's own tests of them.
const DISK: &str = "crates/disk/src/tests/advisories";
/// This folder.
const PROGRAM: &str = "tests/tests/it/advisories";

/// Those that can only be tested here: passwords and signing in belong to the portal, and commands run in the real
/// program's sandboxes.
const OF_THE_PROGRAM: &[&str] = &[
    // Passwords, signing in and sessions.
    "GHSA-v7vv-5wj2-gfcj",
    "GHSA-43mm-m3h2-3prc",
    "GHSA-cm2r-rg7r-p7gg",
    "GHSA-m93h-4hw7-5qcm",
    // Commands.
    "GHSA-39cx-23x9-5c8p",
    "GHSA-8c9q-7855-wfxq",
    "GHSA-3q2w-42mv-cph4",
    "GHSA-hc8f-m8g5-8362",
    "GHSA-w7qc-6grj-w7r8",
    "issue-2480",
];

/// The form of an id in a test's name: `ghsa_7w29` for GHSA-7w29-q235-57m9, other ids unchanged.
fn mark(id: &str) -> String {
    let short = match id.strip_prefix("GHSA-") {
        Some(rest) => format!("ghsa_{}", &rest[..4]),
        None => id.replace('-', "_"),
    };
    short.to_lowercase()
}

/// The names of all tests that run below a folder, each with its file's path in the repository.
fn names(below: &str) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for path in files(&root().join(below), ".rs") {
        let text = fs::read_to_string(&path).expect("text");
        let path = path.strip_prefix(root()).expect("a file of the repository").to_string_lossy().into_owned();
        let mut is_test = false;
        for line in text.lines() {
            is_test |= matches!(line.trim(), "#[test]" | "#[rstest]") || line.trim().starts_with("#[tokio::test");
            is_test &= !line.trim().starts_with("#[ignore");
            let name = line.trim().trim_start_matches("async ").strip_prefix("fn ");
            if let Some((name, _)) = name.and_then(|rest| rest.split_once('(')) {
                names.extend(std::mem::take(&mut is_test).then(|| (path.clone(), name.to_owned())));
            }
        }
    }
    names
}

/// The ids in a test's name.
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

fn tested(below: &str) -> BTreeSet<String> {
    names(below).iter().flat_map(|(_, name)| marks_of(name)).collect()
}

#[test]
fn each_published_flaw_has_its_test_in_the_one_folder() {
    let list = fs::read_to_string(root().join(DISK).join("published.txt")).expect("the list");
    let published: BTreeSet<String> = list.lines().filter(|line| !line.starts_with('#')).map(mark).collect();
    assert!(published.len() > 70, "the list is short: {}", published.len());
    let (disk, program) = (tested(DISK), tested(PROGRAM));
    let of_the_program: BTreeSet<String> = OF_THE_PROGRAM.iter().copied().map(mark).collect();
    let missing: Vec<_> = published.difference(&disk).filter(|mark| !of_the_program.contains(*mark)).collect();
    assert!(missing.is_empty(), "no test in {DISK} is named after {missing:?}");
    let missing: Vec<_> = of_the_program.difference(&program).collect();
    assert!(missing.is_empty(), "no test in {PROGRAM} is named after {missing:?}");
    let needless: Vec<_> = of_the_program.intersection(&disk).collect();
    assert!(needless.is_empty(), "the disk itself tries {needless:?}");
    let unknown: Vec<_> = disk.union(&program).filter(|mark| !published.contains(*mark)).collect();
    assert!(unknown.is_empty(), "these stand in no list: {unknown:?}");
    let mut all = ["crates", "tests"].into_iter().flat_map(names);
    let elsewhere: Vec<_> = all
        .by_ref()
        .filter(|(path, name)| !path.starts_with(DISK) && !path.starts_with(PROGRAM) && !marks_of(name).is_empty())
        .collect();
    assert!(elsewhere.is_empty(), "these belong into a folder of the advisories: {elsewhere:?}");
}
