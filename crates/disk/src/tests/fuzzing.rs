//! The fuzz targets' corpora, which every test run goes through as well. Targets of private parts have their test
//! beside them.

use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

fn inputs(target: &str) -> Vec<String> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.unwrap().path()).unwrap();
    let inputs = std::fs::read_dir(folder("corpus").join(target)).unwrap().map(read);
    inputs.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[test]
fn ranges() {
    inputs("range").iter().for_each(|text| crate::check_range(text));
}

#[test]
fn tus_headers() {
    inputs("tus_headers").iter().for_each(|text| crate::check_tus_headers(text));
}

#[test]
fn upload_lengths() {
    inputs("upload_length").iter().for_each(|text| crate::check_upload_length(text));
}

#[test]
fn every_target_is_built_and_has_a_corpus() {
    let manifest = std::fs::read_to_string(folder("Cargo.toml")).unwrap();
    let targets = std::fs::read_dir(folder("fuzz_targets")).unwrap().map(|entry| entry.unwrap().path());
    let targets: Vec<String> = targets.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert!(targets.len() >= 7);
    for target in targets {
        assert!(manifest.contains(&format!("name = \"{target}\"")), "{target} is not built");
        assert!(inputs(&target).len() >= 10, "{target}");
    }
}
