//! Files in the data folder that only their owner may read, written atomically: keys, and the head of the audit chain.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process;

use anyhow::{Context, ensure};

/// Reads the file; creates it with the result of `make` if it does not exist.
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

/// Creates the file, complete and durable when this returns: a power cut must not leave an empty key. Fails if the file
/// exists by now, because another process was faster.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    // Two processes may start at once.
    let staged = path.with_extension(format!("new-{}", process::id()));
    stage(&staged, text.as_bytes())?;
    let linked = fs::hard_link(&staged, path);
    fs::remove_file(&staged)?;
    linked?;
    sync_folder_of(path)?;
    Ok(())
}

/// Replaces the file atomically; durable when this returns. For files with a single writer.
///
/// # Errors
/// Those of the file system; then the file is the old or the new one.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let staged = path.with_extension("new");
    stage(&staged, content)?;
    fs::rename(&staged, path)?;
    sync_folder_of(path)
}

/// Writes a durable temporary file, replacing one of a killed process.
fn stage(path: &Path, content: &[u8]) -> io::Result<()> {
    let _ = fs::remove_file(path);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(folder)?.sync_all()
}
