//! The JSON lines file of the configuration. It is reopened for each batch, since log rotation may move it at any time.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;

use super::forward::Message;
use crate::Portal;

pub(super) async fn append(portal: &Portal, messages: &[Message]) -> anyhow::Result<()> {
    let Some(path) = portal.audit_file().map(Path::to_owned) else { return Ok(()) };
    let mut text = String::new();
    for message in messages {
        text.push_str(&message.text);
        text.push('\n');
    }
    let shown = path.display().to_string();
    tokio::task::spawn_blocking(move || write(&path, &text)).await?.with_context(|| format!("写入 {shown}"))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    // Terminate a line that an earlier write left incomplete.
    if file.metadata()?.len() > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    file.write_all(text.as_bytes())?;
    file.sync_data()
}
