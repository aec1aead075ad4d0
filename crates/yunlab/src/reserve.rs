//! Reserves space for the database on a disk that others fill: inside its files, as a duty of the process, and beside
//! them for the next start, which has to recreate SQLite's index of its log.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use background::{Duties, Duty, Scope};
use db_kit::Db;
use tokio_util::task::AbortOnDropHandle;

static KEEPS: Duty = Duty {
    name: "database-reserve",
    title: "为数据库预留空间",
    description: "在数据库文件里留出空闲的空间，磁盘写满时仍能登录、结束登录和永久删除文件",
    period: Duration::from_secs(60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Is removed when a start finds less room than this.
const BALLAST: u64 = 1 << 20;
/// Nothing is set aside where there is less: a small file system would be full of it.
const LEAST_FREE: u64 = 32 << 20;

fn ballast(data_dir: &Path) -> PathBuf {
    data_dir.join("ballast")
}

fn free(data_dir: &Path) -> io::Result<u64> {
    let system = rustix::fs::statvfs(data_dir)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Makes room for a start on a full disk.
pub(crate) fn drop_ballast(data_dir: &Path) {
    if free(data_dir).is_ok_and(|free| free < BALLAST) && fs::remove_file(ballast(data_dir)).is_ok() {
        tracing::warn!("the disk is full: gave up the room that was kept for this start");
    }
}

fn lay_ballast(data_dir: &Path) -> io::Result<()> {
    let path = ballast(data_dir);
    if fs::metadata(&path).is_ok_and(|meta| meta.len() == BALLAST) {
        return Ok(());
    }
    let mut file = File::create(path)?;
    for _ in 0..BALLAST / 4096 {
        file.write_all(&[b'.'; 4096])?;
    }
    file.sync_all()
}

/// Keeps the reserve until the returned handle is dropped; does nothing on PostgreSQL, which has space of its own.
pub(crate) fn keep(db: &Db, data_dir: &Path, duties: &Duties) -> Option<AbortOnDropHandle<()>> {
    if db.is_postgres() {
        return None;
    }
    let (db, data_dir, attendance) = (db.clone(), data_dir.to_owned(), duties.attend(&KEEPS, ""));
    Some(AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            let fill = async {
                if free(&data_dir)? >= LEAST_FREE {
                    db.keep_reserve().await?;
                    let data_dir = data_dir.clone();
                    tokio::task::spawn_blocking(move || lay_ballast(&data_dir)).await??;
                }
                Ok(())
            };
            attendance.run(fill).await;
            attendance.pause().await;
        }
    })))
}
