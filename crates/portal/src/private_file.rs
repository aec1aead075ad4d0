//! Files in the data folder that nobody else may read: keys, made at the first start.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process;

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

/// Whole and durable when this returns: a power cut must leave no empty key under the name. Fails if another process
/// was faster.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let staged = path.with_extension(format!("new-{}", process::id()));
    // An earlier process of this number may have been killed here.
    let _ = fs::remove_file(&staged);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&staged)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&staged, path);
    fs::remove_file(&staged)?;
    linked?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}
