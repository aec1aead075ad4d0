//! The repository's own files, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder whose names have this ending.
pub fn files(below: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let skipped = ["node_modules", "dist", "target"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !skipped {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
