//! Files in the data folder that nobody else may read: keys, made at the first start.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, ensure};

/// Reads the file, or writes what `make` gives where there is none.
pub(crate) fn read_or_create(path: &Path, make: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
    if path.exists() {
        let mode = fs::metadata(path).with_context(|| format!("looking at {}", path.display()))?.mode() & 0o777;
        ensure!(mode & 0o077 == 0, "{} may be read by others (mode {mode:o}); chmod 600 it", path.display());
        return fs::read_to_string(path).with_context(|| format!("reading {}", path.display()));
    }
    let text = make()?;
    write(path, &text).with_context(|| format!("making {}", path.display()))?;
    Ok(text)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(())
}
