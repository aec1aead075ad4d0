//! Space that a SQLite database keeps inside its own files, so that on a full disk people can still sign in, end
//! sessions and delete files: overwriting in place needs no new block of the file system.
//!
//! Two files grow. The database has free pages, which new rows take before the file grows. The log beside it is as long
//! as its longest transaction was and is overwritten from its beginning after a checkpoint; SQLite removes it and its
//! index when the last connection closes, so both are kept under other names meanwhile. The next start needs no new
//! block for either (`index.rs`).
//!
//! On file systems that never overwrite in place (btrfs, ZFS) this has no effect.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use kernel::Unexpected;

use crate::{Db, DbResult, Sql};

/// Bytes of free pages, and of the log: rows of thousands of sign-ins.
const RESERVE: i64 = 4 << 20;
/// Rows that fill it are of this size.
const PIECE: i64 = 64 << 10;
/// Less than this is filled up again.
const LEAST: i64 = RESERVE / 2;

/// A temporary table that fills the space. It belongs to no feature, and is no part of a backup.
pub(crate) const FILLER: &str = "reserve_filler";
/// SQLite's suffix, and the log's name while the database is closed.
const LOG: &str = "-wal";
const INDEX: &str = "-shm";
/// Added to the names of both.
const KEPT: &str = "-kept";
/// A log without this many bytes at its beginning is empty to SQLite.
const LOG_HEADER: usize = 32;

impl Db {
    /// Refills the reserve when less than half of it is left. Does nothing on PostgreSQL, whose server has space of its
    /// own.
    ///
    /// # Errors
    /// When the database fails; a lack of space for the reserve is no error, as the present reserve still exists.
    pub async fn keep_reserve(&self) -> DbResult<()> {
        if self.is_postgres() || self.free_bytes().await? >= LEAST {
            return Ok(());
        }
        match self.fill().await {
            Err(error) if error.is_full() => {
                tracing::warn!("there is no room to fill up the database's reserve");
                Ok(())
            }
            other => other,
        }
    }

    async fn free_bytes(&self) -> DbResult<i64> {
        let pages = self.number("select freelist_count as n from pragma_freelist_count", vec![]).await?;
        let size = self.number("select page_size as n from pragma_page_size", vec![]).await?;
        Ok(pages * size)
    }

    /// Pages only have blocks once they were written: so they are filled in one transaction, and freed in another.
    async fn fill(&self) -> DbResult<()> {
        let tx = self.begin().await?;
        // Pages that wait to be written would grow the process for good.
        tx.run("pragma cache_size = -256", vec![]).await?;
        tx.run(&format!("drop table if exists {FILLER}"), vec![]).await?;
        tx.run(&format!("create table {FILLER} (piece blob not null)"), vec![]).await?;
        for _ in 0..RESERVE / PIECE {
            // Random, so that no file system compresses it.
            tx.run(&format!("insert into {FILLER} (piece) values (randomblob($1))"), vec![PIECE.into()]).await?;
        }
        tx.commit().await?;
        // Out of the log and into the database's file.
        self.checkpoint().await?;
        let tx = self.begin().await?;
        tx.run(&format!("drop table {FILLER}"), vec![]).await?;
        tx.commit().await?;
        self.checkpoint().await?;
        let tx = self.begin().await?;
        tx.run("pragma shrink_memory", vec![]).await?;
        // SQLite's own.
        tx.run("pragma cache_size = -2000", vec![]).await?;
        tx.commit().await
    }

    async fn checkpoint(&self) -> DbResult<()> {
        self.run("pragma wal_checkpoint(passive)", vec![]).await.map(drop)
    }
}

/// The log of a database that is about to be closed and its index, so that their blocks stay.
#[derive(Debug)]
pub(crate) struct KeptLog {
    log: KeptFile,
    index: Option<KeptFile>,
}

/// A file with a second name.
#[derive(Debug)]
struct KeptFile {
    name: PathBuf,
    kept: PathBuf,
}

impl KeptLog {
    /// Gives the log of this database and its index second names.
    pub(crate) fn hold(database: &Path) -> io::Result<Self> {
        let log = KeptFile::hold(beside(database, LOG))?;
        Ok(Self { log, index: KeptFile::hold(index_of(database)).ok() })
    }

    /// After the database was closed: puts both back, empty, unless another process has the database open.
    pub(crate) fn put_back(self) -> io::Result<()> {
        let closed = !fs::exists(&self.log.name)?;
        if closed {
            empty(&self.log.kept)?;
        }
        self.log.put_back()?;
        // Its content is not read: the next process that opens the database overwrites it.
        self.index.map_or(Ok(()), KeptFile::put_back)
    }
}

impl KeptFile {
    fn hold(name: PathBuf) -> io::Result<Self> {
        let kept = beside(&name, KEPT);
        remove(&kept)?;
        fs::hard_link(&name, &kept)?;
        Ok(Self { name, kept })
    }

    /// Another process may have opened the database meanwhile, and has a file of its own then.
    fn put_back(self) -> io::Result<()> {
        match fs::hard_link(&self.kept, &self.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => done?,
        }
        remove(&self.kept)
    }
}

/// Where SQLite keeps the index of a database's log.
pub(crate) fn index_of(database: &Path) -> PathBuf {
    beside(database, INDEX)
}

/// Its content is in the database already, and must not be replayed.
fn empty(log: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(log)?;
    file.write_all_at(&[0; LOG_HEADER], 0)?;
    file.sync_all()
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
