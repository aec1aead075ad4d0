//! Verifies that a backup can be restored: into a scratch SQLite database, whatever the real one is.

use std::path::Path;

use anyhow::{Context, ensure};
use db_kit::Db;

use super::Key;
use super::reading::{Opened, prepare, take_in};
use super::scratch::Scratch;

/// Restores a backup into a scratch database and compares that with the backup; returns the number of rows.
pub(super) async fn verify(file: &Path, key: Option<&Key>, scratch: &Scratch) -> anyhow::Result<u64> {
    let path = scratch.path().join("restored.db");
    let db = Db::connect(&format!("sqlite://{}", path.display())).await.context("建立临时的数据库")?;
    let verified = restore(file, key, &db).await;
    db.close().await.context("关闭临时的数据库")?;
    verified
}

async fn restore(file: &Path, key: Option<&Key>, db: &Db) -> anyhow::Result<u64> {
    let mut opened = Opened::open(file, key)?;
    let mut members = opened.members()?;
    let manifest = members.manifest()?;
    members.pass_keys()?;
    prepare(db).await.context("建立临时的数据库")?;
    let written = take_in(db, members.rows()?, manifest.rows, |_| true).await?;
    opened.end()?;
    for (table, found) in db.row_counts().await? {
        let expected = written.get(&table).copied().unwrap_or_default();
        ensure!(found == expected, "试恢复的表 {table} 有 {found} 行，备份里有 {expected} 行");
    }
    let faults = db.faults().await?;
    ensure!(faults.is_empty(), "试恢复的数据库不完好：{}", faults.join("；"));
    Ok(manifest.rows)
}
