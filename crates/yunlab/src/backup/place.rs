//! On which file system the last good backup was written. A disk that is not mounted leaves a folder of the same name
//! on another one, which must not silently take its place.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rustix::fs::statvfs;
use serde::{Deserialize, Serialize};

use super::{Folder, private};

/// In the data folder.
const RECORD: &str = "backup-folder.json";

/// A folder of backups and the file system that it is on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    folder: PathBuf,
    /// The device number. It may change with a start of the machine.
    device: u64,
    /// The file system's own id; 0 where it has none.
    file_system: u64,
    /// The last good backup there; empty: an administrator confirmed the folder.
    file: String,
}

impl Folder {
    /// Fails if the folder is on another file system than at the last good backup. Wherever that backup itself is, it is
    /// the right one.
    pub(super) fn check_place(&self) -> anyhow::Result<()> {
        let Some(last) = self.recorded()? else { return Ok(()) };
        let dir = whole(&self.dir);
        // Another folder is a decision of the configuration.
        if last.folder != dir || (!last.file.is_empty() && dir.join(&last.file).is_file()) {
            return Ok(());
        }
        let now = self.place(String::new())?;
        ensure!(
            (now.device, now.file_system) == (last.device, last.file_system),
            "备份目录 {} 不在上次备份时的磁盘上，那块磁盘可能没有挂载。请先挂载它；如果确实换了磁盘或清空过，请运行 yunlab admin \
             confirm-backup-folder 确认现在的目录",
            dir.display()
        );
        Ok(())
    }

    /// Remembers where this good backup was written.
    pub(super) fn remember(&self, file: &str) -> anyhow::Result<()> {
        self.record(&self.place(file.to_owned())?)
    }

    /// Accepts the folder as it is now. Returns its path.
    pub(super) fn confirm(&self) -> anyhow::Result<PathBuf> {
        let place = self.place(String::new())?;
        self.record(&place)?;
        Ok(place.folder)
    }

    /// A folder that does not exist yet will be on the file system of the nearest one above it.
    fn place(&self, file: String) -> anyhow::Result<Place> {
        let folder = whole(&self.dir);
        let look = || -> io::Result<(u64, u64)> {
            let there = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
            Ok((fs::metadata(there)?.dev(), statvfs(there)?.f_fsid))
        };
        let (device, file_system) = look().with_context(|| format!("查看备份目录 {}", folder.display()))?;
        Ok(Place { folder, device, file_system, file })
    }

    fn recorded(&self) -> anyhow::Result<Option<Place>> {
        let path = self.data_dir.join(RECORD);
        let read = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.with_context(|| format!("读取 {}", path.display()))?,
        };
        // A record that no version of ours wrote says nothing.
        Ok(serde_json::from_slice(&read).ok())
    }

    fn record(&self, place: &Place) -> anyhow::Result<()> {
        let path = self.data_dir.join(RECORD);
        let new = path.with_extension("new");
        let write = || -> io::Result<()> {
            match fs::remove_file(&new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = private(&new)?;
            let owner = fs::metadata(&self.data_dir)?;
            // An administrator confirms as root, and the service has an account of its own.
            let _not_root = std::os::unix::fs::fchown(&file, Some(owner.uid()), Some(owner.gid()));
            file.write_all(&serde_json::to_vec(place)?)?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().with_context(|| format!("写入 {}", path.display()))
    }
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_system_is_accepted_only_with_the_last_backup_or_a_confirmation() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("backups");
        let folder = Folder { dir: at.clone(), data_dir: dir.path().to_owned(), keep: 1, key_file: None };
        folder.check_place().expect("nothing is known yet");
        fs::create_dir(&at).unwrap();
        fs::write(at.join("one"), "backup").unwrap();
        folder.remember("one").unwrap();
        folder.check_place().expect("the same file system");
        let elsewhere = |folder: &Folder| {
            let mut place = folder.recorded().unwrap().unwrap();
            (place.device, place.file_system) = (place.device + 1, place.file_system + 1);
            folder.record(&place).unwrap();
        };
        elsewhere(&folder);
        folder.check_place().expect("numbers change when a machine starts, and the last backup is there");
        fs::remove_dir_all(&at).unwrap();
        let refused = folder.check_place().unwrap_err().to_string();
        assert!(refused.contains("没有挂载") && refused.contains("confirm-backup-folder"), "{refused}");
        assert!(!at.exists(), "nothing takes its place");
        let moved = Folder { dir: dir.path().join("others"), ..folder.clone() };
        moved.check_place().expect("the configuration names another folder");
        assert_eq!(folder.confirm().unwrap(), at);
        folder.check_place().expect("it was confirmed");
        elsewhere(&folder);
        folder.check_place().expect_err("the confirmed folder is gone again");
    }
}
