//! The API documents as files: generated, committed, and compared by a test.

use std::path::Path;

use anyhow::Context;
use utoipa::openapi::OpenApi;

/// Writes both documents into a folder.
pub(crate) fn write(dir: &Path) -> anyhow::Result<()> {
    write_one(&dir.join("portal.json"), &portal::openapi())?;
    write_one(&dir.join("disk.json"), &disk::openapi())
}

fn write_one(path: &Path, document: &OpenApi) -> anyhow::Result<()> {
    let mut text = document.to_pretty_json().context("writing the API document")?;
    text.push('\n');
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
