//! The folder of scheduled backups.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use db_kit::Db;
use kernel::Timestamp;
use portal::MadeBackup;
use rustix::fs::{Access, access};

use super::scratch::{self, Scratch};
use super::verifying::verify;
use super::writing::{Content, Part, private, write};
use super::{Key, rotation};

/// Where scheduled backups lie, and how they are made.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) dir: PathBuf,
    /// The keys that go into a backup lie there.
    pub(crate) data_dir: PathBuf,
    /// How many are kept; 0: none is made by itself.
    pub(crate) keep: u32,
    pub(crate) key_file: Option<PathBuf>,
}

impl Folder {
    /// Whether the folder is, or will be, on the file system of the data folder.
    pub(crate) fn is_beside_data(&self) -> bool {
        let device = |path: &Path| path.ancestors().find_map(|path| fs::metadata(path).ok()).map(|meta| meta.dev());
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        device(&whole(&self.dir)) == device(&whole(&self.data_dir))
    }

    /// Checks the requirements of a backup as far as possible without making one.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.key()?;
        self.check_place()?;
        let there = self.dir.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
        access(there, Access::WRITE_OK | Access::EXEC_OK).with_context(|| format!("{} 不可写", there.display()))
    }

    fn key(&self) -> anyhow::Result<Option<Key>> {
        self.key_file.as_deref().map(Key::read).transpose()
    }

    /// Makes a backup, which gets its name once it was restored as a trial.
    pub(super) async fn make(&self, db: &Db, at: Timestamp) -> anyhow::Result<MadeBackup> {
        let key = self.key()?;
        self.check_place()?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)
            .with_context(|| format!("建立备份目录 {}", self.dir.display()))?;
        let workplace = self.workplace();
        scratch::need_room(workplace, db.bytes().await?.unsigned_abs())?;
        let scratch = Scratch::new(workplace)?;
        let file = rotation::name(at, key.is_some());
        let whole = self.dir.join(&file);
        let part = Part::new(&whole, rotation::PART)?;
        let rows = scratch.path().join("rows");
        let content = Content::under(key.as_ref());
        let written = write(db, &self.data_dir, (&private(&rows)?, &part.file), key.as_ref(), content).await?;
        // The restored database needs the room.
        fs::remove_file(rows)?;
        let restored = verify(&part.path, key.as_ref(), &scratch).await.context("试恢复刚写好的备份")?;
        ensure!(restored == written, "刚写好的备份里有 {restored} 行，应有 {written} 行");
        let bytes = part.file.metadata()?.len();
        part.rename(&whole)?;
        if let Err(error) = self.remember(&file) {
            // The backup is good; only a disk that is not mounted next time would not be noticed.
            tracing::warn!(error = format!("{error:#}"), "the place of the backup could not be remembered");
        }
        Ok(MadeBackup { file, bytes, rows: written, encrypted: key.is_some() })
    }

    /// Where rows lie readable while a backup is made: where backups are encrypted, only beside the database.
    fn workplace(&self) -> &Path {
        if self.key_file.is_some() { &self.data_dir } else { &self.dir }
    }

    /// Removes leftovers of processes that were killed.
    pub(super) fn sweep(&self) -> anyhow::Result<()> {
        for place in [&self.dir, &self.data_dir] {
            match scratch::sweep(place) {
                // Before the first backup.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                swept => swept.with_context(|| format!("清理 {}", place.display()))?,
            }
        }
        for name in self.names()?.iter().filter(|name| rotation::is_own_part(name)) {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Returns those of these files that exist in the folder.
    pub(super) fn present(&self, files: Vec<String>) -> Vec<String> {
        files.into_iter().filter(|name| rotation::is_own(name) && self.dir.join(name).is_file()).collect()
    }

    /// Deletes the backups that are too many. Returns their names.
    pub(super) fn rotate(&self, good: &str) -> anyhow::Result<Vec<String>> {
        let gone = rotation::superfluous(&self.names()?, good, self.keep);
        for name in &gone {
            self.remove(name)?;
        }
        Ok(gone)
    }

    fn remove(&self, name: &str) -> anyhow::Result<()> {
        let path = self.dir.join(name);
        fs::remove_file(&path).with_context(|| format!("删除 {}", path.display()))
    }

    fn names(&self) -> anyhow::Result<Vec<String>> {
        let reading = || format!("读取备份目录 {}", self.dir.display());
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(reading)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            // Names that are not UTF-8 are not ours.
            names.extend(entry.with_context(reading)?.file_name().into_string());
        }
        Ok(names)
    }
}
