//! Writing a backup while others go on working.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use db_kit::{Db, Dumped};
use kernel::VERSION;
use serde_json::value::RawValue;
use tar::{Builder, Header};

use super::{DATABASE, FORMAT, KEYS, Key, Line, MANIFEST, Manifest};
use crate::config::Config;
use crate::data;

/// Fast, and rows of JSON shrink well at any level.
const LEVEL: i32 = 3;

/// The content of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// All.
    Whole,
    /// Everything but the key of the lab's CA: with it one could impersonate any machine of the lab.
    WithoutCaKey,
}

impl Content {
    /// Of a backup that leaves this machine: the CA's key only where it is encrypted.
    pub(super) fn under(key: Option<&Key>) -> Self {
        if key.is_some() { Self::Whole } else { Self::WithoutCaKey }
    }

    fn holds(self, table: &str) -> bool {
        self == Self::Whole || table != portal::LAB_CA_KEYS
    }
}

/// Writes a backup to a file that does not exist yet; how many rows are in it.
pub(crate) async fn save(config: &Config, to: &Path, key: Option<&Key>) -> anyhow::Result<u64> {
    save_content(config, to, key, Content::under(key)).await
}

/// Writes a backup of everything that stays in the data folder, to go back to.
pub(crate) async fn save_whole(config: &Config, to: &Path) -> anyhow::Result<u64> {
    save_content(config, to, None, Content::Whole).await
}

async fn save_content(config: &Config, to: &Path, key: Option<&Key>, content: Content) -> anyhow::Result<u64> {
    refuse_other_folder(&config.data_dir)?;
    ensure!(!to.exists(), "{} 已经存在", to.display());
    let rows = Part::new(to, ".rows")?;
    let part = Part::new(to, ".part")?;
    let db = data::open_database(config).await?;
    let written = write(&db, &config.data_dir, (&rows.file, &part.file), key, content).await;
    db.close().await?;
    let count = written?;
    part.keep(to)?;
    Ok(count)
}

/// Only a portal's data folder has its keys.
pub(super) fn refuse_other_folder(data_dir: &Path) -> anyhow::Result<()> {
    ensure!(data_dir.join(KEYS[0]).is_file(), "{} 不是平台的数据目录", data_dir.display());
    Ok(())
}

/// Writes a backup of this database and these keys; returns the number of rows. The rows are written to a file of their
/// own first: a member's length precedes it.
pub(super) async fn write(
    db: &Db,
    data_dir: &Path,
    (rows, to): (&File, &File),
    key: Option<&Key>,
    content: Content,
) -> anyhow::Result<u64> {
    let count = dump(db, rows, content).await?;
    let manifest = Manifest { format: FORMAT, version: VERSION.to_owned(), created: now(), rows: count };
    let pack = || -> anyhow::Result<()> {
        match key {
            Some(key) => pack(data_dir, key.encrypt(to)?, &manifest, rows)?.finish().map(drop)?,
            None => pack(data_dir, to, &manifest, rows).map(drop)?,
        }
        Ok(to.sync_all()?)
    };
    pack().context("写入备份")?;
    Ok(count)
}

/// A file beside the backup until that is whole.
pub(super) struct Part {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl Part {
    pub(super) fn new(whole: &Path, ending: &str) -> anyhow::Result<Self> {
        let mut name = whole.file_name().context("没有文件名")?.to_owned();
        name.push(ending);
        let path = whole.with_file_name(name);
        let file = private(&path).with_context(|| format!("建立 {}", path.display()))?;
        Ok(Self { file, path })
    }

    fn keep(self, whole: &Path) -> anyhow::Result<()> {
        // Not `rename`, which would replace a file that appeared meanwhile.
        fs::hard_link(&self.path, whole).with_context(|| format!("建立 {}", whole.display()))
    }

    /// Gives it its own name, which no other program uses.
    pub(super) fn rename(self, whole: &Path) -> anyhow::Result<()> {
        let rename = || {
            fs::rename(&self.path, whole)?;
            File::open(whole.parent().unwrap_or(whole))?.sync_all()
        };
        rename().with_context(|| format!("建立 {}", whole.display()))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A leftover is visible beside the backup.
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file that is its owner's alone.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

fn now() -> i64 {
    kernel::Clock::now(&kernel::SystemClock).as_millis()
}

/// Writes the rows; how many.
async fn dump(db: &Db, to: &File, content: Content) -> anyhow::Result<u64> {
    let mut rows = 0;
    let mut out = BufWriter::new(to);
    db_kit::export::<anyhow::Error>(db, |part| {
        let line = match part {
            Dumped::Row { table, .. } if !content.holds(&table) => return Ok(()),
            Dumped::Row { table, row } => {
                rows += 1;
                Line { table, row: Some(RawValue::from_string(row)?), last: None }
            }
            Dumped::Counter { table, last } => Line { table, row: None, last: Some(last) },
        };
        serde_json::to_writer(&mut out, &line)?;
        Ok(out.write_all(b"\n")?)
    })
    .await
    .context("读取数据库")?;
    out.flush()?;
    Ok(rows)
}

fn pack<W: Write>(data_dir: &Path, to: W, manifest: &Manifest, mut rows: &File) -> anyhow::Result<W> {
    let mut compressed = zstd::Encoder::new(to, LEVEL)?;
    // So that a byte that changed on the way is noticed.
    compressed.include_checksum(true)?;
    let mut tar = Builder::new(compressed);
    let seconds = u64::try_from(manifest.created / 1000)?;
    let mut add = |name: &str, length: u64, content: &mut dyn Read| {
        let mut header = Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o600);
        header.set_mtime(seconds);
        tar.append_data(&mut header, name, content)
    };
    let text = serde_json::to_vec_pretty(manifest)?;
    add(MANIFEST, text.len() as u64, &mut text.as_slice())?;
    for key in KEYS {
        let key_text = fs::read(data_dir.join(key)).with_context(|| format!("读取 {key}"))?;
        add(key, key_text.len() as u64, &mut key_text.as_slice())?;
    }
    let length = rows.seek(SeekFrom::End(0))?;
    rows.rewind()?;
    add(DATABASE, length, &mut rows)?;
    Ok(tar.into_inner()?.finish()?)
}
