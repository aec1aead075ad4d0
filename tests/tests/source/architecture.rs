//! Dependencies between crates, and other properties that readers rely on, checked by reading the files. The table is
//! the map in docs/ARCHITECTURE.md; `layers.rs` looks inside the crates.

use std::fs;
use std::path::Path;

use tests::{files, root};

const SQL: &[&str] = &["sea-orm", "sea-orm-migration", "sqlx", "db-kit"];
const HTTP_SERVER: &[&str] = &["axum", "axum-server", "tower-http", "http-kit"];
const FEATURES: &[&str] = &["portal", "disk"];
/// HTTP without a server, and what is built on it.
const HTTP: &[&str] = &["dav-server", "http", "http-body-util", "hyper", "tower", "utoipa-axum"];

/// The names of a manifest's shipped dependencies.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if inside && let Some((name, _)) = line.split_once(['.', ' ', '=']) {
            names.push(name.to_owned());
        }
    }
    names
}

fn manifest(of: &str) -> String {
    let path = root().join("crates").join(of).join("Cargo.toml");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates");
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// Each crate, and the crates that it must not depend on.
const FORBIDDEN: &[(&str, &[&[&str]])] = &[
    ("kernel", &[SQL, HTTP_SERVER, FEATURES, &["bollard", "engine", "rustix", "tokio"]]),
    ("http-kit", &[SQL, FEATURES, &["engine"]]),
    ("db-kit", &[HTTP_SERVER, FEATURES, &["engine"]]),
    ("background", &[HTTP_SERVER, FEATURES, &["bollard", "engine"]]),
    ("engine", &[SQL, HTTP_SERVER, FEATURES]),
    ("machine-helper", &[SQL, HTTP_SERVER, FEATURES, &["bollard", "engine", "kernel", "tokio"]]),
    ("pod-helper", &[SQL, HTTP_SERVER, FEATURES, &["bollard", "engine", "kernel", "serde", "serde_json", "tokio"]]),
    ("filebrowser", &[SQL, HTTP_SERVER, FEATURES, &["bollard", "engine", "kernel", "tokio"]]),
    ("portal", &[&["disk", "bollard"]]),
    ("disk", &[&["portal", "engine", "bollard"]]),
    ("disk-core", &[HTTP, HTTP_SERVER, FEATURES, &["background", "bollard", "engine"]]),
];

#[test]
fn a_crate_does_not_know_what_it_must_not() {
    for (name, forbidden) in FORBIDDEN {
        for dependency in dependencies(&manifest(name)) {
            assert!(!forbidden.concat().contains(&dependency.as_str()), "{name} depends on {dependency}");
        }
    }
    // The reading itself works.
    assert!(dependencies(&manifest("http-kit")).iter().any(|name| name == "axum"));
}

#[test]
fn what_is_shipped_knows_nothing_of_tests() {
    for name in crates().into_iter().filter(|name| name != "testkit") {
        let known = dependencies(&manifest(&name));
        for helper in ["testkit", "tests", "tempfile", "rstest", "proptest"] {
            assert!(!known.iter().any(|dependency| dependency == helper), "{name} depends on {helper}");
        }
    }
}

/// The cheap password hashing of tests must not be compiled into a release.
#[test]
fn what_is_shipped_hashes_passwords_at_full_cost() {
    let mut used = Vec::new();
    for name in crates() {
        for path in files(&root().join("crates").join(&name).join("src"), ".rs") {
            if fs::read_to_string(&path).expect("text").contains("PasswordCost::FOR_TESTS") {
                used.push((name.clone(), path));
            }
        }
    }
    let (testkit, shipped): (Vec<_>, Vec<_>) = used.into_iter().partition(|(name, _)| name == "testkit");
    let own = |path: &Path| path.ends_with("session/password.rs");
    assert!(shipped.iter().all(|(_, path)| own(path)), "{shipped:?}");
    // The reading itself works.
    assert_eq!(testkit.len(), 1, "{testkit:?}");
}

/// Tests that the plain test command omits must say so, in the words that `./test --all` looks for.
#[test]
fn only_what_takes_long_is_left_out() {
    for folder in ["crates", "tests"] {
        for path in files(&root().join(folder), ".rs") {
            let text = fs::read_to_string(&path).expect("text");
            for line in text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore")) {
                assert!(line.starts_with("#[ignore = \"long: "), "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn every_crate_inherits_the_lints_and_takes_versions_from_the_workspace() {
    for name in crates() {
        let manifest = manifest(&name);
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} has lints of its own");
        let own = manifest.lines().find(|line| line.contains("version = \""));
        assert!(own.is_none(), "{name} has a version of its own: {own:?}");
    }
    let ours = fs::read_to_string(root().join("tests/Cargo.toml")).expect("a manifest");
    assert!(ours.contains("[lints]\nworkspace = true"));
}

#[test]
fn no_file_is_longer_than_five_hundred_lines() {
    let generated = ["portal.d.ts", "disk.d.ts"];
    for folder in ["crates", "tests", "web/src", "web/e2e", "web/scripts", "bench"] {
        for ending in [".rs", ".ts", ".tsx", ".css", ".sql", ".mjs", ".sh"] {
            for path in files(&root().join(folder), ending) {
                let lines = fs::read_to_string(&path).expect("text").lines().count();
                let own = !generated.iter().any(|name| path.ends_with(name));
                assert!(lines <= 500 || !own, "{} has {lines} lines", path.display());
            }
        }
    }
}

#[test]
fn every_module_says_first_what_it_is() {
    for folder in ["crates", "tests"] {
        for path in files(&root().join(folder), ".rs") {
            let text = fs::read_to_string(&path).expect("text");
            assert!(text.starts_with("//!"), "{} does not", path.display());
        }
    }
}
