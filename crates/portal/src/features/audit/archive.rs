//! Archive files: expired log rows as gzip-compressed JSON lines in the data folder, with the seals that cover them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use db_kit::Word;
use flate2::Compression;
use flate2::write::GzEncoder;
use kernel::Timestamp;
use serde::Serialize;
use tokio::fs;
use tokio::io::AsyncWriteExt;
use utoipa::ToSchema;

use super::line;
use super::seal::Seal;
use super::{store, verify};
use crate::Portal;
use crate::features::logs::Log;
use crate::features::settings;

const FOLDER: &str = "log-archive";
const ENDING: &str = ".jsonl.gz";
/// The maximum number of seals per file.
const SEALS_OF_A_FILE: i64 = 500;

/// An archive file.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArchiveFile {
    /// The log and the range of its row ids, such as `operate-1-4096.jsonl.gz`.
    pub(crate) name: String,
    /// Size in bytes.
    pub(crate) size: u64,
    pub(crate) written: Timestamp,
}

/// Archives and deletes rows of a log that are older than this, whole sealed ranges at a time. Returns how many.
///
/// # Errors
/// When a range is not as it was sealed: its rows are the only evidence of that, and stay.
pub(super) async fn drop_before(portal: &Portal, log: Log, limit: Timestamp) -> anyhow::Result<u64> {
    let mut dropped = 0;
    loop {
        let from = store::last_row(portal.db(), log, super::seal::Kind::Dropped).await?;
        let mut seals = store::over_rows_after(portal.db(), log, from, SEALS_OF_A_FILE).await?;
        let old = seals.iter().take_while(|seal| seal.content.newest < limit).count();
        seals.truncate(old);
        let Some(last) = seals.last() else { return Ok(dropped) };
        for seal in &seals {
            check(portal, seal).await?;
        }
        if settings::read(portal.db()).await?.retention.archive_logs {
            write(portal, log, &seals).await.context("归档日志")?;
        }
        dropped += super::sealing::drop_to(portal, log, last.content.last).await?;
    }
}

/// Refuses to delete rows that are not those that were sealed.
async fn check(portal: &Portal, seal: &Seal) -> anyhow::Result<()> {
    let rows = verify::rows_under(portal.db(), &seal.content).await?;
    match verify::difference(&seal.content, &rows) {
        None => Ok(()),
        Some(difference) => bail!(
            "{difference}，与当时的封条不一致。为了能查清是谁改的，从这里起的日志都保留着，不再清理；\
             运行 yunlab admin audit verify 查看"
        ),
    }
}

/// Writes the rows under these seals to a file, atomically: a crash leaves no partial file under the name.
async fn write(portal: &Portal, log: Log, seals: &[Seal]) -> anyhow::Result<()> {
    let (Some(first), Some(last)) = (seals.first(), seals.last()) else { return Ok(()) };
    let folder = folder(portal);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).await?;
    let name = format!("{}-{}-{}{ENDING}", Word(log), first.content.first, last.content.last);
    let new = folder.join(format!("{name}.new"));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new).await?;
    for seal in seals {
        let mut lines = Vec::new();
        for row in log.rows(portal.db(), seal.content.first, seal.content.last, i64::MAX).await? {
            lines.extend(line::of_row(log, &row)?.into_bytes());
            lines.push(b'\n');
        }
        lines.extend(line::of_seal(seal)?.into_bytes());
        lines.push(b'\n');
        // A gzip file may consist of several members.
        let packed = tokio::task::spawn_blocking(move || packed(&lines)).await??;
        file.write_all(&packed).await?;
    }
    file.sync_all().await?;
    fs::rename(&new, folder.join(name)).await?;
    fs::File::open(&folder).await?.sync_all().await?;
    Ok(())
}

fn packed(lines: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(lines)?;
    packer.finish()
}

fn folder(portal: &Portal) -> PathBuf {
    portal.data_dir().join(FOLDER)
}

/// Whether this is the name of an archive file; anything else could lead out of the folder.
fn is_name(name: &str) -> bool {
    let Some((log, rows)) = name.strip_suffix(ENDING).and_then(|stem| stem.split_once('-')) else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbers = rows.split_once('-').is_some_and(|(first, last)| is_number(first) && is_number(last));
    Word::<Log>::parse(log).is_ok() && numbers
}

/// Lists the archive files, newest first.
pub(crate) async fn archives(portal: &Portal) -> anyhow::Result<Vec<ArchiveFile>> {
    let mut files: Vec<ArchiveFile> = entries(&folder(portal)).await?.into_iter().map(|(file, _)| file).collect();
    files.sort_by(|a, b| (b.written, &b.name).cmp(&(a.written, &a.name)));
    Ok(files)
}

async fn entries(folder: &Path) -> anyhow::Result<Vec<(ArchiveFile, PathBuf)>> {
    let mut found = Vec::new();
    let mut entries = match fs::read_dir(folder).await {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    while let Some(entry) = entries.next_entry().await? {
        let (Ok(name), metadata) = (entry.file_name().into_string(), entry.metadata().await?) else { continue };
        if metadata.is_file() && is_name(&name) {
            let written = metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
            let written = Timestamp::from_millis(i64::try_from(written).unwrap_or(i64::MAX));
            found.push((ArchiveFile { name, size: metadata.len(), written }, entry.path()));
        }
    }
    Ok(found)
}

/// Opens an archive file; `None` if it does not exist.
pub(super) async fn open(portal: &Portal, name: &str) -> std::io::Result<Option<(fs::File, u64)>> {
    if !is_name(name) {
        return Ok(None);
    }
    match fs::File::open(folder(portal).join(name)).await {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        file => {
            let file = file?;
            let size = file.metadata().await?.len();
            Ok(Some((file, size)))
        }
    }
}

/// Deletes archive files that are older than this. Returns how many.
pub(super) async fn drop_files_before(portal: &Portal, limit: Timestamp) -> anyhow::Result<u64> {
    let mut dropped = 0;
    for (file, path) in entries(&folder(portal)).await? {
        if file.written < limit {
            fs::remove_file(&path).await.with_context(|| format!("删除 {}", path.display()))?;
            dropped += 1;
        }
    }
    Ok(dropped)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn only_names_of_archives() {
        assert!(is_name("operate-1-4096.jsonl.gz") && is_name("login-7-7.jsonl.gz"));
        for bad in [
            "",
            "operate-1.jsonl.gz",
            "../operate-1-2.jsonl.gz",
            "operate-1-2/..-3.jsonl.gz",
            "other-1-2.jsonl.gz",
            "operate-1-2-3.jsonl.gz",
            "operate-1-2.jsonl.gz.new",
            "operate--1-2.jsonl.gz",
            "operate-+1-2.jsonl.gz",
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
