//! `yunlab admin backup`, `restore`, `verify-backup`, `make-backup-key` and `confirm-backup-folder`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::reading::{Opened, check, prepare, take_in};
use super::scratch::Scratch;
use super::verifying;
use super::writing::{private, refuse_other_folder, save};
use super::{KEYS, Key};
use crate::config::Config;
use crate::{data, say};

/// Writes a backup while a server may be running.
pub(crate) async fn backup(config: &Config, to: &Path, key: Option<&Path>) -> anyhow::Result<()> {
    let key = key.map(Key::read).transpose()?;
    let rows = save(config, to, key.as_ref()).await?;
    let care = if key.is_some() {
        "它是加密的，没有密钥打不开。"
    } else {
        "它没有加密：里面有平台的密钥和连接各台服务器的凭据，拿到的人能控制所有服务器，请妥善保管，或者用 --key 加密。实验室 CA \
         的私钥只放进加密的备份。"
    };
    say::line(&format!("已备份到 {}：{rows} 行数据和密钥。网盘中的文件不在其中。{care}", to.display()));
    Ok(())
}

/// The given key, or the configured one.
fn key(config: &Config, named: Option<&Path>) -> anyhow::Result<Option<Key>> {
    named.or(config.backup_key_file.as_deref()).map(Key::read).transpose()
}

/// Restores a backup where there are no accounts yet.
pub(crate) async fn restore(config: &Config, from: &Path, named: Option<&Path>) -> anyhow::Result<()> {
    let key = key(config, named)?;
    // An invalid backup changes nothing.
    check(from, key.as_ref())?;
    let mut opened = Opened::open(from, key.as_ref())?;
    data::prepare(&config.data_dir)?;
    let _lock = data::lock(&config.data_dir)?;
    let db = data::open_database(config).await?;
    prepare(&db).await?;
    ensure!(!portal::has_users(&db).await?, "数据库里已经有账号，只能恢复到空的数据库");
    let mut members = opened.members()?;
    let manifest = members.manifest()?;
    let mut keys = Keys { dir: &config.data_dir, made: Vec::new() };
    for name in KEYS {
        keys.put(name, &members.key(name)?)?;
    }
    // A sign-in that was ended after the backup must not come back.
    let wanted = |table: &str| !portal::SIGNED_IN_TABLES.contains(&table);
    take_in(&db, members.rows()?, manifest.rows, wanted).await?;
    keys.made.clear();
    say::line(&format!("已恢复 {} 行数据和密钥。所有人需要重新登录。", manifest.rows));
    say::line("启动之前请确认原来的平台已经停止：两个平台会操作同一批服务器上的实例");
    Ok(())
}

/// Restores a backup as a trial, wherever it lies now.
pub(crate) async fn verify(config: &Config, file: &Path, named: Option<&Path>) -> anyhow::Result<()> {
    let key = key(config, named)?;
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let rows = verifying::verify(file, key.as_ref(), &scratch).await?;
    say::line(&format!("备份可以使用：已试恢复 {rows} 行数据，与备份时一致"));
    Ok(())
}

/// Makes a key for encrypted backups.
pub(crate) fn make_key(path: &Path) -> anyhow::Result<()> {
    let public = Key::create(path)?;
    say::line(&format!("密钥已写入 {}，公钥 {public}", path.display()));
    say::line("请马上把它另存到别的机器：没有它，加密的备份谁也打不开");
    Ok(())
}

/// Accepts the folder of scheduled backups where it is now, after it was moved to another disk.
pub(crate) fn confirm_folder(config: &Config) -> anyhow::Result<()> {
    refuse_other_folder(&config.data_dir)?;
    let folder = config.backups();
    let path = folder.confirm()?;
    let beside = if folder.is_beside_data() { "，它与数据在同一个文件系统上" } else { "" };
    say::line(&format!("已确认备份目录 {}{beside}。以后的备份写在这块磁盘上", path.display()));
    Ok(())
}

/// Keys that were put into the data folder, and are removed again when the rest fails.
struct Keys<'a> {
    dir: &'a Path,
    made: Vec<PathBuf>,
}

impl Keys<'_> {
    /// Existing ones must be the same.
    fn put(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.dir.join(name);
        if path.exists() {
            ensure!(fs::read_to_string(&path)? == text, "{} 里已经有另一个 {name}", self.dir.display());
            return Ok(());
        }
        private(&path)?.write_all(text.as_bytes())?;
        self.made.push(path);
        Ok(())
    }
}

impl Drop for Keys<'_> {
    fn drop(&mut self) {
        for path in &self.made {
            // A second try finds the same key there.
            let _ = fs::remove_file(path);
        }
    }
}
